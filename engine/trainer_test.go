package engine_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/traintest"
)

var pairs = []string{"a small cat", "cats are small", "blue sea", "the sea is blue", "rust", "iron oxide"}

// noModality is above every modality of the header.
var noModality = func() abi.Modality {
	named := abi.ModalityValues()
	return slices.Max(named[:]) + 1
}()

// Steps reduce the loss, with the same bits on every executor and number of threads.
func TestStepsLearn(t *testing.T) {
	var first []float64
	for name, make := range map[string]func(w *world) abi.Executor{
		"inline":         (*world).inline,
		"owned":          (*world).owned,
		"four":           func(w *world) abi.Executor { return w.executor(4, abi.CallerInclusive) },
		"four exclusive": func(w *world) abi.Executor { return w.executor(4, abi.CallerExclusive) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			executor := make(w)
			id := w.trainer(executor, tiny())
			var losses []float64
			for step := range 12 {
				s := w.stepping(id, executor, 0, pairs...)
				s.LearningRate = 0.01
				w.steps(s)
				require.EqualValues(t, step+1, s.stats.Step)
				require.EqualValues(t, len(pairs), s.stats.Items)
				require.Positive(t, s.stats.GradientNorm)
				losses = append(losses, s.stats.Loss)
			}
			require.Less(t, losses[11], losses[0]/2)
			if first == nil {
				first = losses
			}
			require.Equal(t, first, losses)
		})
	}
}

// The embeddings that a step returns are those of the model before the step, in any kind.
func TestStepReturnsEmbeddings(t *testing.T) {
	w := newWorld(t)
	executor, arena := w.executor(2, abi.CallerInclusive), w.arena()
	file := checkpoint(t, tiny())
	id := w.trainerOf(executor, file)
	texts := append([]string{"", ""}, pairs...)
	want := w.embed(t, file, texts...)
	s := w.stepping(id, executor, arena, texts...)
	s.Groups = &[]uint32{9, 9, 1, 1, 2, 2, 3, math.MaxUint32}[0]
	w.steps(s)
	require.InDeltaSlice(t, want, floats(s.embeddings, len(texts)), 1e-5)
	path := filepath.Join(t.TempDir(), "run.safetensors")
	w.saves(id, executor, path)
	saved, err := os.ReadFile(path)
	require.NoError(t, err)
	want = w.embed(t, saved, texts...)
	s = w.stepping(id, executor, arena, texts...)
	s.Scalar = abi.ScalarI8
	w.steps(s)
	require.Equal(t, abi.ScalarI8, s.embeddings.Scalar)
	for i, v := range elements[int8](s.embeddings, len(texts)) {
		require.InDelta(t, 127*want[i], float32(v), 0.51)
	}
}

// A run that is saved and resumed, from a path or from memory, continues with the same bits.
func TestSaveAndResume(t *testing.T) {
	w := newWorld(t)
	executor := w.executor(2, abi.CallerInclusive)
	file := checkpoint(t, tiny())
	straight, broken := w.trainerOf(executor, file), w.trainerOf(executor, file)
	path := filepath.Join(t.TempDir(), "run.safetensors")
	for range 3 {
		w.steps(w.stepping(straight, executor, 0, pairs...))
		w.steps(w.stepping(broken, executor, 0, pairs...))
	}
	w.saves(broken, executor, path)
	var resumed abi.Trainer
	var outcome abi.Outcome
	w.TrainerInit(&abi.TrainerInit{Trainer: &resumed, Executor: executor, Outcome: &outcome, Path: text(path)})
	requireSuccess(t, &outcome)
	defer w.TrainerFree(resumed)
	a, b := w.steps(w.stepping(straight, executor, 0, pairs...)), w.steps(w.stepping(resumed, executor, 0, pairs...))
	require.Equal(t, a.stats, b.stats)
	require.EqualValues(t, 4, b.stats.Step)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside the file")
}

// Files of every medium are items of a step like texts.
func TestStepTakesFiles(t *testing.T) {
	w := newWorld(t)
	executor, arena := w.executor(2, abi.CallerInclusive), w.arena()
	id := w.trainer(executor, seeing())
	items := []string{drawnPNG(t, 1, 20, 20), "a picture", sample(t, "audio", "s16.wav"), "a tone", drawnPNG(t, 2, 30, 10), ""}
	modalities := []abi.Modality{abi.ModalityImage, abi.ModalityText, abi.ModalityAudio, abi.ModalityText, abi.ModalityImage, abi.ModalityImage}
	s := w.stepping(id, executor, arena, items...)
	copy(s.modalities, modalities)
	w.steps(s)
	require.EqualValues(t, 6, s.stats.Items)

	s = w.stepping(id, executor, arena, items[0], "x", "no file", items[4], "neither")
	copy(s.modalities, []abi.Modality{abi.ModalityImage, abi.ModalityText, abi.ModalityImage, abi.ModalityImage, abi.ModalityAudio})
	w.stumbles(s, abi.StatusMalformed, 2)
}

// A handler also stops a step while its files are decoded: later files are not read.
func TestStepsStopBetweenFiles(t *testing.T) {
	w := newWorld(t)
	executor := w.inline()
	id := w.trainer(executor, seeing())
	s := w.stepping(id, executor, 0, drawnPNG(t, 1, 20, 20), drawnPNG(t, 2, 20, 20), drawnPNG(t, 3, 20, 20), "no picture")
	copy(s.modalities, []abi.Modality{abi.ModalityImage, abi.ModalityImage, abi.ModalityImage, abi.ModalityImage})
	reports := 0
	s.Progress = abi.Progress(w.ProgressCallback)
	s.ProgressState = abi.HoldProgress(func(finished, total uintptr) bool {
		require.Zero(t, finished)
		require.EqualValues(t, 4, total)
		reports++
		return reports < 3
	})
	defer abi.ReleaseProgress(s.ProgressState)
	w.stumbles(s, abi.StatusCancelled, -1)
	require.Equal(t, 3, reports)
	s.Progress = 0
	w.stumbles(s, abi.StatusMalformed, 3)
}

func TestStepRefuses(t *testing.T) {
	w := newWorld(t)
	executor, arena := w.inline(), w.arena()
	id := w.trainer(executor, tiny())
	inside := w.steps(w.stepping(id, executor, arena, pairs...)).embeddings.Data
	for name, test := range map[string]struct {
		change func(s *stepping)
		status abi.Status
		item   int
	}{
		"no trainer":           {func(s *stepping) { s.Trainer = 0 }, abi.StatusInvalidArgument, -1},
		"a stale trainer":      {func(s *stepping) { s.Trainer ^= 1 << 30 }, abi.StatusInvalidArgument, -1},
		"an arena's handle":    {func(s *stepping) { s.Trainer = abi.Trainer(arena) }, abi.StatusInvalidArgument, -1},
		"no executor":          {func(s *stepping) { s.Executor = 0 }, abi.StatusInvalidArgument, -1},
		"a reserved field":     {func(s *stepping) { s.Reserved = 1 }, abi.StatusInvalidArgument, -1},
		"no arena":             {func(s *stepping) { s.Arena = 0 }, abi.StatusInvalidArgument, -1},
		"no completion":        {func(s *stepping) { s.Completion = 2 }, abi.StatusInvalidArgument, -1},
		"no scalar":            {func(s *stepping) { s.Scalar = 99 }, abi.StatusInvalidArgument, -1},
		"a scalar of no use":   {func(s *stepping) { s.Scalar = abi.ScalarF64 }, abi.StatusUnsupported, -1},
		"a rate below zero":    {func(s *stepping) { s.LearningRate = -1 }, abi.StatusInvalidArgument, -1},
		"a rate of no number":  {func(s *stepping) { s.LearningRate = math.NaN() }, abi.StatusInvalidArgument, -1},
		"no modalities":        {func(s *stepping) { s.Modalities = nil }, abi.StatusInvalidArgument, -1},
		"no contents":          {func(s *stepping) { s.Contents.Data = nil }, abi.StatusInvalidArgument, -1},
		"no offsets":           {func(s *stepping) { s.Contents.Offsets = nil }, abi.StatusInvalidArgument, -1},
		"a count without end":  {func(s *stepping) { s.Count = math.MaxUint / 2 }, abi.StatusInvalidArgument, -1},
		"falling offsets":      {func(s *stepping) { s.Contents.Offsets = &[]uintptr{3, 5, 4, 6, 7, 8, 9}[0] }, abi.StatusInvalidArgument, 1},
		"contents in arena":    {func(s *stepping) { s.Contents.Data = inside }, abi.StatusInvalidArgument, -1},
		"a callback":           {func(s *stepping) { s.Progress = 12345 }, abi.StatusInvalidArgument, -1},
		"no modality":          {func(s *stepping) { s.modalities[2] = noModality }, abi.StatusInvalidArgument, 2},
		"a modality below":     {func(s *stepping) { s.modalities[2] = -1 }, abi.StatusInvalidArgument, 2},
		"pictures for no eyes": {func(s *stepping) { s.modalities[3] = abi.ModalityImage }, abi.StatusUnsupported, 3},
		"no two match":         {func(s *stepping) { s.Groups = &[]uint32{1, 2, 3, 4, 5, 6}[0] }, abi.StatusInvalidArgument, 0},
		"one alone":            {func(s *stepping) { s.Count = 1 }, abi.StatusInvalidArgument, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := w.stepping(id, executor, arena, pairs...)
			test.change(s)
			w.stumbles(s, test.status, test.item)
		})
	}
	w.stumbles(w.stepping(id, executor, arena, "a", "b\xff"), abi.StatusMalformed, 1)
	s := w.steps(w.stepping(id, executor, arena, pairs...))
	require.EqualValues(t, 2, s.stats.Step, "refused steps are none")
	s = w.steps(w.stepping(id, executor, arena))
	require.Equal(t, abi.TrainerStats{Step: 2}, s.stats, "a step of nothing changes nothing")
}

// One call at a time has a trainer, on any executor.
func TestTrainersAreContended(t *testing.T) {
	w := newWorld(t)
	executor, other := w.owned(), w.inline()
	id := w.trainer(executor, tiny())
	s := w.stepping(id, executor, 0, pairs...)
	s.Completion = abi.CompletionDeferring
	g := w.gate(&s.Progress, &s.ProgressState)
	w.TrainerStep(&s.TrainerStep)
	<-g.entered
	w.stumbles(w.stepping(id, other, 0, pairs...), abi.StatusContended, -1)
	var outcome abi.Outcome
	w.TrainerSave(&abi.TrainerSave{Trainer: id, Executor: other, Outcome: &outcome, Path: text("never")})
	requireFailure(t, &outcome, abi.StatusContended, -1)
	g.open()
	require.Equal(t, abi.StatusSuccess, w.OutcomeWait(&s.outcome))
	require.EqualValues(t, 1, s.stats.Step)
}

// Freeing a trainer runs and waits for the calls that name it.
func TestFreeingATrainerWaits(t *testing.T) {
	w := newWorld(t)
	executor := w.inline()
	var id abi.Trainer
	var outcome abi.Outcome
	w.TrainerInitBytes(&abi.TrainerInit{Trainer: &id, Executor: executor, Outcome: &outcome}, checkpoint(t, tiny()))
	requireSuccess(t, &outcome)
	s := w.stepping(id, executor, 0, pairs...)
	s.Completion = abi.CompletionDeferring
	w.TrainerStep(&s.TrainerStep)
	require.Equal(t, abi.StatusDeferred, w.OutcomeStatus(&s.outcome))
	w.TrainerFree(id)
	requireSuccess(t, &s.outcome)
	w.stumbles(w.stepping(id, executor, 0, pairs...), abi.StatusInvalidArgument, -1)
	w.TrainerFree(id)
}

// A handler stops a step and a save at any of their reports; nothing has changed then, and the path
// holds its old content.
func TestTrainingStops(t *testing.T) {
	w := newWorld(t)
	executor := w.inline()
	id := w.trainer(executor, tiny())
	path := filepath.Join(t.TempDir(), "run.safetensors")
	w.steps(w.stepping(id, executor, 0, pairs...))
	w.saves(id, executor, path)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	// count makes the call until it is not stopped any more, and requires that each report is in
	// order.
	stopping := func(call func(progress abi.Progress, state uintptr) abi.Status) (reports int) {
		for stop := 0; ; stop++ {
			n, last := 0, uintptr(0)
			state := abi.HoldProgress(func(finished, total uintptr) bool {
				require.True(t, n > 0 || finished == 0)
				require.True(t, last <= finished && finished <= total)
				last = finished
				n++
				return n <= stop
			})
			status := call(abi.Progress(w.ProgressCallback), state)
			abi.ReleaseProgress(state)
			if status == abi.StatusSuccess {
				return n
			}
			require.Equal(t, abi.StatusCancelled, status)
		}
	}
	reports := stopping(func(progress abi.Progress, state uintptr) abi.Status {
		s := w.stepping(id, executor, 0, pairs...)
		s.Progress, s.ProgressState = progress, state
		w.TrainerStep(&s.TrainerStep)
		if s.outcome.Status == abi.StatusSuccess {
			require.EqualValues(t, 2, s.stats.Step)
		}
		return s.outcome.Status
	})
	require.Greater(t, reports, 5)
	reports = stopping(func(progress abi.Progress, state uintptr) abi.Status {
		var outcome abi.Outcome
		w.TrainerSave(&abi.TrainerSave{Trainer: id, Executor: executor, Outcome: &outcome, Path: text(path), Progress: progress, ProgressState: state})
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, outcome.Status != abi.StatusSuccess, string(before) == string(now))
		return outcome.Status
	})
	require.Greater(t, reports, 3)
}

func TestTrainerInitRefuses(t *testing.T) {
	w := newWorld(t)
	executor, path := w.inline(), file(t, checkpoint(t, tiny()))
	for name, test := range map[string]struct {
		change func(a *abi.TrainerInit)
		status abi.Status
	}{
		"no place":           {func(a *abi.TrainerInit) { a.Trainer = nil }, abi.StatusInvalidArgument},
		"no executor":        {func(a *abi.TrainerInit) { a.Executor = 0 }, abi.StatusInvalidArgument},
		"no path":            {func(a *abi.TrainerInit) { a.Path = nil }, abi.StatusInvalidArgument},
		"a reserved field":   {func(a *abi.TrainerInit) { a.Reserved = 1 }, abi.StatusInvalidArgument},
		"process 1 of 1":     {func(a *abi.TrainerInit) { a.ProcessIndex = 1 }, abi.StatusInvalidArgument},
		"process 2 of 2":     {func(a *abi.TrainerInit) { a.ProcessIndex, a.ProcessesCount = 2, 2 }, abi.StatusInvalidArgument},
		"a rate below zero":  {func(a *abi.TrainerInit) { a.LearningRate = -1 }, abi.StatusInvalidArgument},
		"an infinite decay":  {func(a *abi.TrainerInit) { a.WeightDecay = math.Inf(1) }, abi.StatusInvalidArgument},
		"a rendezvous":       {func(a *abi.TrainerInit) { a.Rendezvous = text("localhost:1") }, abi.StatusUnsupported},
		"two, but no MPI":    {func(a *abi.TrainerInit) { a.ProcessesCount = 2 }, abi.StatusInvalidArgument}, // no launcher has started them
		"nothing there":      {func(a *abi.TrainerInit) { a.Path = text("/nothing/there") }, abi.StatusIO},
		"no checkpoint":      {func(a *abi.TrainerInit) { a.Path = file(t, []byte("something else")) }, abi.StatusMalformed},
		"no saved run":       {func(a *abi.TrainerInit) { a.Path = file(t, savedWithout(t, "bytes.moment2")) }, abi.StatusMalformed},
		"steps of no number": {func(a *abi.TrainerInit) { a.Path = file(t, savedWithSteps(t, "many")) }, abi.StatusMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			trainer := abi.Trainer(77)
			var outcome abi.Outcome
			a := &abi.TrainerInit{Trainer: &trainer, Executor: executor, Outcome: &outcome, Path: path}
			test.change(a)
			w.TrainerInit(a)
			requireFailure(t, &outcome, test.status, -1)
			if a.Trainer != nil {
				require.Zero(t, trainer)
			}
		})
	}
	var outcome abi.Outcome
	trainer := abi.Trainer(77)
	w.TrainerInitVRAM(&abi.TrainerInit{Trainer: &trainer, Executor: executor, Outcome: &outcome, Path: path})
	requireFailure(t, &outcome, abi.StatusUnsupported, -1)
	require.Zero(t, trainer)
}

// savedParts returns a run's file, parsed.
func savedParts(t *testing.T) (metadata map[string]string, tensors []model.Tensor) {
	run, err := train.New(checkpoint(t, tiny()), nil)
	require.NoError(t, err)
	_, err = run.Step(t.Context(), &train.Batch{Items: []train.Item{{Text: []byte("a")}, {Text: []byte("b")}}, Neighbours: true}, nil)
	require.NoError(t, err)
	metadata, err = run.Metadata()
	require.NoError(t, err)
	return metadata, run.Tensors(true)
}

func savedWithout(t *testing.T, name string) []byte {
	metadata, tensors := savedParts(t)
	var kept []model.Tensor
	for _, tensor := range tensors {
		if tensor.Name != name {
			kept = append(kept, tensor)
		}
	}
	require.Len(t, kept, len(tensors)-1)
	return container(t, metadata, kept)
}

func savedWithSteps(t *testing.T, steps string) []byte {
	metadata, tensors := savedParts(t)
	metadata["uform.step"] = steps
	return container(t, metadata, tensors)
}

// The hook joins processes. Bad input of one, also input that is refused at submission, fails all
// of them, and none hangs.
func TestProcessesThroughTheTable(t *testing.T) {
	reducers := traintest.Processes(2)
	type process struct {
		*world
		executor abi.Executor
		id       abi.Trainer
	}
	var run []process
	for i := range 2 {
		w := newWorldWith(t, &engine.Options{Reducer: func(index, count int) (train.Reducer, error) {
			require.Equal(t, i, index)
			require.Equal(t, 2, count)
			return reducers[i], nil
		}}, hooks.Engine{})
		p := process{world: w, executor: w.owned()}
		var outcome abi.Outcome
		w.TrainerInitBytes(&abi.TrainerInit{
			Trainer: &p.id, Executor: p.executor, Outcome: &outcome, ProcessIndex: uint32(i), ProcessesCount: 2,
		}, checkpoint(t, tiny()))
		requireSuccess(t, &outcome)
		defer w.TrainerFree(p.id)
		run = append(run, p)
	}
	submit := func(i int, change func(s *stepping)) *stepping {
		s := run[i].stepping(run[i].id, run[i].executor, 0, pairs...)
		s.Completion = abi.CompletionDeferring
		change(s)
		run[i].TrainerStep(&s.TrainerStep)
		return s
	}
	for name, change := range map[string]func(s *stepping){
		"modalities": func(s *stepping) { s.Modalities = nil },
		"offsets":    func(s *stepping) { s.Contents.Offsets = &[]uintptr{3, 5, 4, 6, 7, 8, 9}[0] },
		"a modality": func(s *stepping) { s.modalities[1] = noModality },
		"a scalar":   func(s *stepping) { s.Scalar = 99 },
	} {
		t.Run(name, func(t *testing.T) {
			bad, good := submit(0, change), submit(1, func(*stepping) {})
			require.Equal(t, abi.StatusInvalidArgument, run[0].OutcomeWait(&bad.outcome))
			require.Equal(t, abi.StatusPeer, run[1].OutcomeWait(&good.outcome))
		})
	}
	a, b := submit(0, func(*stepping) {}), submit(1, func(*stepping) {})
	require.Equal(t, abi.StatusSuccess, run[0].OutcomeWait(&a.outcome))
	require.Equal(t, abi.StatusSuccess, run[1].OutcomeWait(&b.outcome))
	require.Equal(t, a.stats, b.stats)
	require.EqualValues(t, 2*len(pairs), a.stats.Items)

	path := filepath.Join(t.TempDir(), "run.safetensors")
	run[1].saves(run[1].id, run[1].executor, path)
	require.NoFileExists(t, path, "only process zero writes")
	run[0].saves(run[0].id, run[0].executor, path)
	require.FileExists(t, path)
}

func TestReducersThatRefuse(t *testing.T) {
	w := newWorldWith(t, &engine.Options{Reducer: func(int, int) (train.Reducer, error) { return nil, errors.ErrUnsupported }}, hooks.Engine{})
	var id abi.Trainer
	var outcome abi.Outcome
	w.TrainerInitBytes(&abi.TrainerInit{Trainer: &id, Executor: w.inline(), Outcome: &outcome, ProcessesCount: 2}, checkpoint(t, tiny()))
	requireFailure(t, &outcome, abi.StatusUnsupported, -1)
}

// The working memory of a step belongs to its executor, where runs of any shape use it in turn; it
// grows to a high-water mark and stays there.
func TestStepsWorkInTheExecutor(t *testing.T) {
	w := newWorld(t)
	executor := w.inline() // of one thread, so that every step makes the same use of it
	scratch := func() uint64 {
		var description abi.ExecutorDescription
		w.ExecutorDescribe(&abi.ExecutorDescribe{Executor: executor, Description: &description})
		return description.ScratchBytes
	}
	require.Zero(t, scratch())
	shared := []abi.Trainer{w.trainer(executor, tiny()), w.trainer(executor, bare()), w.trainer(executor, seeing())}
	alone := []abi.Trainer{w.trainer(executor, tiny()), w.trainer(executor, bare()), w.trainer(executor, seeing())}
	var want [][]abi.TrainerStats
	for _, id := range alone {
		var stats []abi.TrainerStats
		for range 4 {
			stats = append(stats, w.steps(w.stepping(id, w.inline(), 0, pairs...)).stats)
		}
		want = append(want, stats)
	}
	var grown uint64
	for turn := range 4 {
		for i, id := range shared {
			require.Equal(t, want[i][turn], w.steps(w.stepping(id, executor, 0, pairs...)).stats)
		}
		if turn == 0 {
			grown = scratch()
			require.Positive(t, grown)
		}
	}
	require.Equal(t, grown, scratch())
}
