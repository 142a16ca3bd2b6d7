package engine_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/internal/model"
)

// tiny returns a model with every part, small enough for thousands of calls.
func tiny() *model.Config {
	return &model.Config{
		Modalities: []string{"text"},
		Context:    96,
		Width:      16,
		Layers:     2,
		Heads:      2,
		Hidden:     24,
		Columns:    20,
		Skip:       true,
		Grams:      &model.Grams{Sizes: []int{2, 3}, Hashes: 2, Buckets: 50, Words: true, Fold: true},
		Lexical:    &model.Lexical{Sizes: []int{3}, Buckets: 40, Columns: 64, Share: 0.25},
		Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{
			{Name: "plain", InverseTemperature: 1}, {Name: "sharp", InverseTemperature: 9},
		}},
	}
}

// seeing is tiny with every modality.
func seeing() *model.Config {
	config := tiny()
	config.Modalities = []string{"text", "image", "video", "audio"}
	config.Image = &model.Image{
		Side: 12, Patch: 4, Mean: &[3]float64{0.4, 0.5, 0.6}, Deviation: &[3]float64{0.2, 0.25, 0.3}, Background: &[3]uint8{10, 200, 30},
	}
	config.Video = &model.Video{Frames: 3}
	config.Audio = &model.Audio{
		Rate: 8000, Window: 200, Hop: 80, Mels: 10, Low: 20, High: 3900, Frames: 4, Mean: -6, Deviation: 4,
	}
	return config
}

// bare returns tiny without layers and decoder.
func bare() *model.Config {
	config := tiny()
	config.Layers, config.Heads, config.Hidden, config.Decoder = 0, 0, 0, nil
	return config
}

// long returns tiny with a context longer than a slice.
func long() *model.Config {
	config := tiny()
	config.Context = 4096
	return config
}

// checkpoint returns a file of config's architecture with random weights, the same each time.
func checkpoint(t testing.TB, config *model.Config) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 5))
	var tensors []model.Tensor
	add := func(name string, shape ...int) []float32 {
		size := 1
		for _, n := range shape {
			size *= n
		}
		values := make([]float32, size)
		for i := range values {
			values[i] = float32(random.NormFloat64()) * 0.3
		}
		tensors = append(tensors, model.FloatTensor(name, values, shape...))
		return values
	}
	d := config.Width
	add("bytes", 256, d)
	if config.Grams != nil {
		add("grams", config.Grams.Buckets, d)
	}
	for i := range config.Layers {
		layer := "layers." + string(rune('0'+i)) + "."
		add(layer+"attention.norm", d)
		for _, name := range []string{"query", "key", "value", "output"} {
			add(layer+"attention."+name, d, d)
		}
		add(layer+"feedforward.norm", d)
		add(layer+"feedforward.up", config.Hidden, d)
		add(layer+"feedforward.down", d, config.Hidden)
	}
	if config.Layers > 0 {
		add("norm", d)
	}
	pooled := d
	if config.Skip {
		pooled *= 2
	}
	add("projection", config.Columns, pooled)
	empty := make([]float32, config.EmbeddingColumns())
	empty[0], empty[len(empty)-1] = 0.6, -0.8
	tensors = append(tensors, model.FloatTensor("empty", empty, len(empty)))
	if config.Lexical != nil {
		weights := make([]float32, config.Lexical.Buckets)
		for i := range weights {
			weights[i] = random.Float32()
		}
		tensors = append(tensors, model.FloatTensor("lexical", weights, len(weights)))
	}
	if config.Decoder != nil {
		add("decoder.head", 256, d)
		add("decoder.empty", d)
	}
	if config.Image != nil {
		add("image.patches", d, config.Image.PatchSize())
		add("image.positions", config.Image.Tokens(), d)
	}
	if config.Video != nil {
		add("video.times", config.Video.Frames, d)
	}
	if config.Audio != nil {
		add("audio.patches", d, config.Audio.PatchSize())
	}
	var file bytes.Buffer
	require.NoError(t, model.Write(&file, config, tensors))
	return file.Bytes()
}

// world is a library under test with its handles; all are freed when the test ends.
type world struct {
	*abi.Library
	t      testing.TB
	inside engine.Inside
}

func newWorld(t testing.TB) *world { return newWorldWith(t, nil, hooks.Engine{PoisonRewound: true}) }

func newWorldWith(t testing.TB, options *engine.Options, hooks hooks.Engine) *world {
	library, inside := engine.NewObserved(options, hooks)
	w := &world{Library: library, t: t, inside: inside}
	// Cleanups run in reverse order, so this one sees what the others left.
	t.Cleanup(func() { require.Zero(t, inside.Ids(), "handles or calls that nobody freed") })
	return w
}

// executor makes an executor, freed with its workers gone when the test ends.
func (w *world) executor(threads int, exclusivity abi.CallerExclusivity) abi.Executor {
	return w.executorIn(abi.MoodParked, threads, exclusivity)
}

func (w *world) executorIn(mood abi.Mood, threads int, exclusivity abi.CallerExclusivity) abi.Executor {
	var id abi.Executor
	var outcome abi.Outcome
	w.ExecutorInit(&abi.ExecutorInit{
		Executor: &id, Outcome: &outcome, Threads: uint32(threads), Exclusivity: exclusivity, Mood: mood,
	})
	require.Equal(w.t, abi.StatusSuccess, outcome.Status)
	_, left := w.inside.Workers(id)
	w.t.Cleanup(func() {
		w.ExecutorFree(id)
		left()
	})
	return id
}

// inline makes an executor without threads of its own.
func (w *world) inline() abi.Executor { return w.executor(1, abi.CallerInclusive) }

// owned makes an executor with one thread of its own.
func (w *world) owned() abi.Executor { return w.executor(1, abi.CallerExclusive) }

func (w *world) arena() abi.Arena {
	var id abi.Arena
	var outcome abi.Outcome
	w.ArenaInit(&abi.ArenaInit{Arena: &id, Outcome: &outcome})
	require.Equal(w.t, abi.StatusSuccess, outcome.Status)
	w.t.Cleanup(func() { w.ArenaFree(id) })
	return id
}

func (w *world) load(config *model.Config) abi.Model {
	var id abi.Model
	var outcome abi.Outcome
	w.ModelLoadBytes(&abi.ModelLoad{Model: &id, Outcome: &outcome}, checkpoint(w.t, config))
	require.Equal(w.t, abi.StatusSuccess, outcome.Status, abi.TextAt(outcome.Message))
	w.t.Cleanup(func() { w.ModelFree(id) })
	return id
}

// file stores a checkpoint and returns its NUL-terminated path.
func file(t testing.TB, content []byte) *byte {
	path := filepath.Join(t.TempDir(), "model.uform")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return text(path)
}

// text returns NUL-terminated text, as a field such as Path takes it.
func text(s string) *byte { return &append([]byte(s), 0)[0] }

// tape lays items end to end. Its first offset is three.
func tape(items ...string) abi.TapeView {
	data, offsets := []byte("???"), []uintptr{3}
	for _, item := range items {
		data = append(data, item...)
		offsets = append(offsets, uintptr(len(data)))
	}
	return abi.TapeView{Data: unsafe.Pointer(&data[0]), Offsets: &offsets[0]}
}

// encoding is one call of text_encode with all of its outputs.
type encoding struct {
	abi.TextEncode
	outcome    abi.Outcome
	embeddings abi.RowsView
	states     abi.RowsTapeView
}

// encoding requests both outputs.
func (w *world) encoding(m abi.Model, arena abi.Arena, items ...string) *encoding {
	e := &encoding{}
	// detects fields that are not written
	e.outcome = abi.Outcome{Status: -77, Item: -77, Message: 77, Call: 77}
	e.TextEncode = abi.TextEncode{
		Model: m, Arena: arena, Outcome: &e.outcome,
		Count: uintptr(len(items)), Texts: tape(items...),
		Embeddings: &e.embeddings, States: &e.states,
	}
	return e
}

// deferred asks for the call to be deferred on an executor.
func (e *encoding) deferred(executor abi.Executor) *encoding {
	e.Executor, e.Completion = executor, abi.CompletionDeferring
	return e
}

// on asks for the call to block on an executor.
func (e *encoding) on(executor abi.Executor) *encoding {
	e.Executor, e.Completion = executor, abi.CompletionBlocking
	return e
}

// succeeds runs a blocking call and requires success.
func (w *world) succeeds(e *encoding) *encoding {
	w.t.Helper()
	w.TextEncode(&e.TextEncode)
	requireSuccess(w.t, &e.outcome)
	return e
}

// fails runs a blocking call, or one that is refused at submission, and requires that it left no
// outputs.
func (w *world) fails(e *encoding, status abi.Status, item int) {
	w.t.Helper()
	w.TextEncode(&e.TextEncode)
	requireFailure(w.t, &e.outcome, status, item)
	require.Zero(w.t, e.embeddings)
	require.Zero(w.t, e.states)
}

func requireSuccess(t testing.TB, outcome *abi.Outcome) {
	t.Helper()
	require.Equal(t, abi.StatusSuccess, outcome.Status, abi.TextAt(outcome.Message))
	require.Equal(t, abi.Outcome{}, *outcome)
}

func requireFailure(t testing.TB, outcome *abi.Outcome, status abi.Status, item int) {
	t.Helper()
	require.Equal(t, status.String(), outcome.Status.String(), abi.TextAt(outcome.Message))
	require.EqualValues(t, item, outcome.Item, abi.TextAt(outcome.Message))
	require.NotEmpty(t, abi.TextAt(outcome.Message))
	require.Zero(t, outcome.Call)
}

// floats copies count rows of f32.
func floats(view abi.RowsView, count int) []float32 {
	return append([]float32{}, elements[float32](view, count)...)
}

// elements reads count rows in place.
func elements[T any](view abi.RowsView, count int) []T {
	return abi.Elements((*T)(view.Data), uintptr(count)*view.Columns)
}

// offsets reads the offsets of count items in place.
func offsets(view abi.RowsTapeView, count int) []uintptr {
	return abi.Elements((*uintptr)(view.Offsets), uintptr(count)+1)
}

// bits returns rows for comparison to the last bit.
func bits(values []float32) []uint32 {
	out := make([]uint32, len(values))
	for i, v := range values {
		out[i] = math.Float32bits(v)
	}
	return out
}

// gate is a progress handler that stops a call at its first report until it is opened, so that
// tests know a call is running without a clock.
type gate struct {
	entered chan struct{}
	opened  chan struct{}
	once    sync.Once
	state   uintptr
}

// gate installs itself in a call.
func (w *world) gate(progress *abi.Progress, state *uintptr) *gate {
	g := &gate{entered: make(chan struct{}), opened: make(chan struct{})}
	g.state = abi.HoldProgress(func(uintptr, uintptr) bool {
		g.once.Do(func() { close(g.entered) })
		<-g.opened
		return true
	})
	w.t.Cleanup(func() { abi.ReleaseProgress(g.state) })
	*progress, *state = abi.Progress(w.ProgressCallback), g.state
	return g
}

// running submits a deferred call that waits at its gate, on a worker of its executor.
func (w *world) running(e *encoding) *gate {
	g := w.gate(&e.Progress, &e.ProgressState)
	w.TextEncode(&e.TextEncode)
	require.Equal(w.t, abi.StatusDeferred, w.OutcomeStatus(&e.outcome))
	<-g.entered
	return g
}

func (g *gate) open() { close(g.opened) }

// wait requires that a deferred call succeeds.
func (w *world) wait(e *encoding) {
	w.t.Helper()
	require.Equal(w.t, abi.StatusSuccess, w.OutcomeWait(&e.outcome))
	requireSuccess(w.t, &e.outcome)
}

func dataOf(data []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(data)) }

// endOfMemory returns an address at which one element fits, but not two.
func endOfMemory() *uint32 { return (*uint32)(abi.Pointer(^uintptr(0) - 7)) }
