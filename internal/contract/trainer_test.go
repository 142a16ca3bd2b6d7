package contract_test

import (
	"math"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// bout is a place with a trainer.
type bout struct {
	executor abi.Executor
	arena    abi.Arena
	trainer  abi.Trainer
}

// bout starts a run from a checkpoint where this implementation computes.
func (s *seam) bout(c *checkpoint) bout {
	s.Helper()
	executor := s.executor()
	return bout{executor, s.arena(executor), s.train(executor, c.path(s.T))}
}

func (s *seam) train(executor abi.Executor, path string) abi.Trainer {
	s.Helper()
	return s.join(executor, path, "", 0, 1)
}

// join starts a process of a run, or a run of one process.
func (s *seam) join(executor abi.Executor, path, rendezvous string, process, processes int) abi.Trainer {
	s.Helper()
	b := &struct {
		abi.TrainerInit
		outcome abi.Outcome
		trainer abi.Trainer
	}{}
	b.TrainerInit = abi.TrainerInit{
		Trainer: &b.trainer, Executor: executor, Outcome: plant(&b.outcome), Path: abi.CText(path),
		ProcessIndex: uint32(process), ProcessesCount: uint32(processes),
	}
	if rendezvous != "" {
		b.Rendezvous = abi.CText(rendezvous)
	}
	if s.onGPU(executor) {
		s.table.TrainerInitVRAM(&b.TrainerInit)
	} else {
		s.table.TrainerInit(&b.TrainerInit)
	}
	s.succeeded(&b.outcome)
	require.NotZero(s, b.trainer)
	s.Cleanup(func() { s.table.TrainerFree(b.trainer) })
	return b.trainer
}

// stepping is a call of trainer_step with all its outputs.
type stepping struct {
	abi.TrainerStep
	outcome    abi.Outcome
	embeddings abi.RowsView
	stats      abi.TrainerStats
	modalities []abi.Modality
}

// pairs are texts of which each two neighbours match.
var pairs = []string{"a small cat", "cats are small", "the sea is blue", "blue sea", "iron oxide", "rust"}

// step returns a call for a step over texts, and for their embeddings.
func (b bout) step(texts ...string) *stepping {
	e := &stepping{modalities: make([]abi.Modality, len(texts)+1), embeddings: abi.RowsView{Stride: 77}, stats: abi.TrainerStats{Step: 77}}
	data, offsets := []byte(nil), []uintptr{0}
	for _, text := range texts {
		data = append(data, text...)
		offsets = append(offsets, uintptr(len(data)))
	}
	data = append(data, 0) // so that there is a pointer without texts too
	e.TrainerStep = abi.TrainerStep{
		Trainer: b.trainer, Executor: b.executor, Outcome: plant(&e.outcome), Count: uintptr(len(texts)),
		Modalities: &e.modalities[0], Contents: abi.TapeView{Data: abi.Pointer(abi.Address(data)), Offsets: &offsets[0]},
		Arena: b.arena, Embeddings: &e.embeddings, Stats: &e.stats,
	}
	return e
}

// steps makes a blocking step, and requires that it succeeds.
func (s *seam) steps(e *stepping) *stepping {
	s.Helper()
	s.table.TrainerStep(&e.TrainerStep)
	s.succeeded(&e.outcome)
	return e
}

// stumbles requires that a step fails, and that its outputs are NULL.
func (s *seam) stumbles(e *stepping, status abi.Status, item int) {
	s.Helper()
	s.table.TrainerStep(&e.TrainerStep)
	s.failed(&e.outcome, status, item)
	require.Zero(s, e.stats)
	if e.Embeddings != nil {
		require.Zero(s, e.embeddings)
	}
}

// embedded returns the embeddings of a step.
func (s *seam) embedded(e *stepping) []float32 {
	s.Helper()
	return floats(s.bytes(uintptr(e.embeddings.Data), e.Count*e.embeddings.Stride))
}

// save saves a run, and requires that it succeeds.
func (s *seam) save(b bout, path string) {
	s.Helper()
	e := &struct {
		abi.TrainerSave
		outcome abi.Outcome
	}{}
	e.TrainerSave = abi.TrainerSave{Trainer: b.trainer, Executor: b.executor, Outcome: plant(&e.outcome), Path: abi.CText(path)}
	s.table.TrainerSave(&e.TrainerSave)
	s.succeeded(&e.outcome)
}

// contrast returns the contrastive loss of a step over neighbours: the negatives of each text are
// all texts of other pairs, and the temperature is 0.05.
func (c *checkpoint) contrast(texts []string) float64 {
	var rows [][]float64
	for _, text := range texts {
		embedding, _ := c.reference.encode(text)
		rows = append(rows, embedding)
	}
	similar := func(i, j int) (sum float64) {
		for k := range rows[i] {
			sum += rows[i][k] * rows[j][k]
		}
		return math.Exp(sum / 0.05)
	}
	var loss float64
	for i := range rows {
		mine := similar(i, i^1)
		whole := mine
		for j := range rows {
			if j/2 != i/2 {
				whole += similar(i, j)
			}
		}
		loss -= math.Log(mine/whole) / float64(len(rows))
	}
	return loss
}

func stepsLearn(s *seam) {
	b := s.bout(full())
	first := s.steps(b.step(pairs...))
	require.EqualValues(s, 1, first.stats.Step)
	require.EqualValues(s, len(pairs), first.stats.Items)
	require.InDelta(s, full().contrast(pairs), first.stats.Loss, 1e-3)
	require.Positive(s, first.stats.GradientNorm)
	var last *stepping
	for range 20 {
		last = b.step(pairs...)
		last.LearningRate = 0.05
		s.steps(last)
	}
	require.EqualValues(s, 21, last.stats.Step)
	require.Less(s, last.stats.Loss, first.stats.Loss*0.9)

	// The same items in another order, matched by groups, are the same step.
	one, other := s.bout(full()), s.bout(full())
	byGroups := other.step(pairs[4], pairs[0], pairs[3], pairs[5], pairs[2], pairs[1])
	byGroups.Groups = &[]uint32{7, 3, math.MaxUint32, 7, math.MaxUint32, 3}[0]
	want, got := s.steps(one.step(pairs...)), s.steps(byGroups)
	require.InDelta(s, want.stats.Loss, got.stats.Loss, 1e-5)
	require.InDelta(s, want.stats.GradientNorm, got.stats.GradientNorm, 1e-3*want.stats.GradientNorm)

	// An item is one modality and one byte string. A refused step changes nothing.
	e := b.step(pairs...)
	e.modalities[3] = 4
	s.stumbles(e, abi.StatusInvalidArgument, 3)
	e = b.step(pairs...)
	e.modalities[2] = abi.ModalityImage
	s.stumbles(e, abi.StatusUnsupported, 2)
	s.stumbles(b.step("a", "b\xFF"), abi.StatusMalformed, 1)
	s.stumbles(b.step("nothing matches"), abi.StatusInvalidArgument, 0)
	for _, change := range []func(e *stepping){
		func(e *stepping) { e.Trainer = 0 }, func(e *stepping) { e.Executor = 0 }, func(e *stepping) { e.Reserved = 1 },
		func(e *stepping) { e.Modalities = nil }, func(e *stepping) { e.Contents.Data = nil },
		func(e *stepping) { e.LearningRate = -1 }, func(e *stepping) { e.LearningRate = math.NaN() },
	} {
		e := b.step(pairs...)
		change(e)
		s.stumbles(e, abi.StatusInvalidArgument, -1)
	}
	require.EqualValues(s, 22, s.steps(b.step(pairs...)).stats.Step)
	nothing := s.steps(b.step())
	require.Equal(s, abi.TrainerStats{Step: 22}, nothing.stats, "a step of nothing changes nothing")
}

func stepsLearnOfTheUser(u *user) {
	trainer, executor := u.run(full())
	examples := uform.Examples{Contents: uform.Strings(pairs)}
	first, err := trainer.On(executor).Step(background, examples, nil, nil)
	require.NoError(u, err)
	require.EqualValues(u, 1, first.Step)
	require.EqualValues(u, len(pairs), first.Items)
	require.InDelta(u, full().contrast(pairs), first.Loss, 1e-3)
	require.Positive(u, first.GradientNorm)
	_, err = trainer.On(executor).Step(background, uform.Examples{Contents: uform.Strings([]string{"a", "b\xFF"})}, nil, nil)
	require.ErrorIs(u, err, uform.ErrMalformed)
	_, err = trainer.On(executor).Step(background, uform.Examples{Contents: uform.Strings(pairs), Groups: []uint32{1}}, nil, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	second, err := trainer.On(executor).Step(background, examples, nil, &uform.StepOptions{LearningRate: 0.05})
	require.NoError(u, err)
	require.EqualValues(u, 2, second.Step)
}

// run starts a run where this implementation computes.
func (u *user) run(c *checkpoint) (*uform.Trainer, *uform.Executor) {
	u.Helper()
	executor := u.executor()
	return u.runFrom(executor, c.path(u.T)), executor
}

func (u *user) runFrom(executor *uform.Executor, path string) *uform.Trainer {
	u.Helper()
	trainer, err := u.library.NewTrainer(background, path, executor, nil)
	require.NoError(u, err)
	u.Cleanup(func() { trainer.Close() })
	return trainer
}

func stepsAnswerEmbeddings(s *seam) {
	b := s.bout(full())
	texts := append([]string{"", ""}, pairs...)
	e := s.steps(b.step(texts...))
	require.Equal(s, abi.ScalarF32, e.embeddings.Scalar)
	for i, text := range texts {
		want, _ := full().reference.encode(text)
		columns := int(e.embeddings.Columns)
		near(s.T, want, s.embedded(e)[i*columns:(i+1)*columns], 1e-4, "embedding of %q", text)
	}
	// A step without embeddings needs no arena; one with embeddings does.
	quiet := b.step(pairs...)
	quiet.Arena, quiet.Embeddings = 0, nil
	s.steps(quiet)
	e = b.step(pairs...)
	e.Arena = 0
	s.stumbles(e, abi.StatusInvalidArgument, -1)
	// Inputs in that arena would be rewound.
	held := s.steps(b.step(pairs...))
	e = b.step(pairs...)
	e.Contents.Data = held.embeddings.Data
	s.stumbles(e, abi.StatusInvalidArgument, -1)
	// The arena is busy during the step, as for any call.
	e = b.step(pairs...)
	e.Completion = abi.CompletionDeferring
	g := s.gate(&e.Progress, &e.ProgressState)
	s.table.TrainerStep(&e.TrainerStep)
	comes(s.T, g.entered)
	s.stumbles(b.step(pairs...), abi.StatusContended, -1)
	g.Open()
	require.Equal(s, abi.StatusSuccess, s.table.OutcomeWait(&e.outcome))
	require.NotEmpty(s, s.embedded(e))
}

func stepsAnswerEmbeddingsOfTheUser(u *user) {
	trainer, executor := u.run(full())
	arena := u.arena(executor)
	stepped, err := trainer.On(executor).Step(background, uform.Examples{Contents: uform.Strings(pairs)}, arena, nil)
	require.NoError(u, err)
	require.Equal(u, len(pairs), stepped.Embeddings.Len())
	columns := stepped.Embeddings.Columns()
	for i, text := range pairs {
		want, _ := full().reference.encode(text)
		near(u.T, want, u.floats(stepped.Embeddings)[i*columns:(i+1)*columns], 1e-4, "embedding of %q", text)
	}
	without, err := trainer.On(executor).Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
	require.NoError(u, err)
	require.Equal(u, uform.Rows{}, without.Embeddings)
}

func savesAreServedAndResumed(s *seam) {
	b := s.bout(packed())
	path := filepath.Join(s.TempDir(), "run.safetensors")
	for range 3 {
		e := b.step(pairs...)
		e.LearningRate = 0.05
		s.steps(e)
	}
	s.save(b, path)
	again := bout{b.executor, s.arena(b.executor), s.train(b.executor, path)}
	want, got := s.steps(b.step(pairs...)), s.steps(again.step(pairs...))
	require.EqualValues(s, 4, got.stats.Step)
	require.InDelta(s, want.stats.Loss, got.stats.Loss, 1e-6)
	require.InDelta(s, want.stats.GradientNorm, got.stats.GradientNorm, 1e-6*want.stats.GradientNorm)
	near(s.T, s.embedded(want), s.embedded(got), 1e-6, "embeddings")
	// A model loads the file, and embeds as the run did.
	model, outcome := s.tryLoad(b.executor, path)
	s.succeeded(outcome)
	p := place{b.executor, model, s.arena(b.executor)}
	served := s.read(s.encode(p.encoding(pairs...)))
	near(s.T, s.embedded(want), served.embeddings, 1e-4, "embeddings")
	// A save replaces an older file, and leaves no other file.
	s.save(b, path)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(s, err)
	require.Len(s, entries, 1)
	// A save that fails keeps the old file.
	e := &struct {
		abi.TrainerSave
		outcome abi.Outcome
	}{}
	e.TrainerSave = abi.TrainerSave{
		Trainer: b.trainer, Executor: b.executor, Outcome: plant(&e.outcome), Path: abi.CText(filepath.Join(path, "below")),
	}
	s.table.TrainerSave(&e.TrainerSave)
	s.failed(&e.outcome, abi.StatusIO, -1)
}

func savesAreServedAndResumedOfTheUser(u *user) {
	trainer, executor := u.run(full())
	path := filepath.Join(u.TempDir(), "run.safetensors")
	examples := uform.Examples{Contents: uform.Strings(pairs)}
	_, err := trainer.On(executor).Step(background, examples, nil, nil)
	require.NoError(u, err)
	require.NoError(u, trainer.On(executor).Save(background, path, nil))
	resumed := u.runFrom(executor, path)
	stepped, err := resumed.On(executor).Step(background, examples, nil, nil)
	require.NoError(u, err)
	require.EqualValues(u, 2, stepped.Step)
	model, err := u.library.Load(background, path, &uform.LoadOptions{Executor: executor})
	require.NoError(u, err)
	require.NoError(u, model.Close())
	_, err = u.library.NewTrainer(background, filepath.Join(u.TempDir(), "nothing"), executor, nil)
	require.ErrorIs(u, err, uform.ErrIO)
	require.ErrorIs(u, trainer.On(executor).Save(background, filepath.Join(path, "below"), nil), uform.ErrIO)
	if u.onDevice {
		return
	}
	content, err := os.ReadFile(path)
	require.NoError(u, err)
	fromMemory, err := u.library.NewTrainerBytes(background, content, executor, nil)
	require.NoError(u, err)
	require.NoError(u, fromMemory.Close())
}

// resumesOfTheUser shows that a saved file has the step, and all that the next step needs.
func resumesOfTheUser(u *user) {
	trainer, executor := u.run(full())
	path := filepath.Join(u.TempDir(), "run.safetensors")
	on := trainer.On(executor)
	examples := uform.Examples{Contents: uform.Strings(pairs)}
	for range 2 {
		_, err := on.Step(background, examples, nil, nil)
		require.NoError(u, err)
	}
	require.NoError(u, on.Save(background, path, nil))
	resumed := u.runFrom(executor, path).On(executor)
	for range 3 {
		want, err := on.Step(background, examples, nil, nil)
		require.NoError(u, err)
		got, err := resumed.Step(background, examples, nil, nil)
		require.NoError(u, err)
		require.Equal(u, want.Step, got.Step)
		require.InDelta(u, want.Loss, got.Loss, 1e-6)
	}
}

// trainersOwnTheirWeights shows that a step changes neither the file, nor another run, nor a model.
func trainersOwnTheirWeights(s *seam) {
	executor := s.executor()
	path := full().path(s.T)
	model, outcome := s.tryLoad(executor, path)
	s.succeeded(outcome)
	a, b := bout{executor, s.arena(executor), s.train(executor, path)}, bout{executor, s.arena(executor), s.train(executor, path)}
	before, err := os.ReadFile(path)
	require.NoError(s, err)
	for range 5 {
		e := a.step(pairs...)
		e.LearningRate = 0.1
		s.steps(e)
	}
	after, err := os.ReadFile(path)
	require.NoError(s, err)
	require.Equal(s, before, after)
	// The other run has the weights that the first began with, without the file.
	require.NoError(s, os.Remove(path))
	require.InDelta(s, full().contrast(pairs), s.steps(b.step(pairs...)).stats.Loss, 1e-3)
	p := place{executor, model, s.arena(executor)}
	full().encodesLike(s.T, pairs, s.read(s.encode(p.encoding(pairs...))))
	// They are where the executor computes, and are used only there.
	if s.onDevice {
		host := a
		host.executor, host.arena = s.holder(), 0
		e := host.step(pairs...)
		e.Embeddings = nil
		s.stumbles(e, abi.StatusDevice, -1)
	}
	// They are freed with the trainer.
	s.table.TrainerFree(a.trainer)
	s.stumbles(a.step(pairs...), abi.StatusInvalidArgument, -1)
}

// statsNeedNoArena is A06 for trainers.
func statsNeedNoArena(s *seam) {
	b := s.bout(flat())
	e := b.step(pairs...)
	e.Arena, e.Embeddings = 0, nil
	s.steps(e)
	require.EqualValues(s, 1, e.stats.Step)
	require.EqualValues(s, len(pairs), e.stats.Items)
	e = b.step(pairs...)
	e.Stats = nil
	s.steps(e)
	require.Equal(s, abi.TrainerStats{Step: 77}, e.stats)
}
