package uform_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Every misuse is a typed error with the status that says what kind it is. None of them panics, and
// after all of them the handles that are open still work. Trainers have a table of their own, in
// trainer_test.go.
func TestMisuse(t *testing.T) {
	f, foreign := newFixture(t, nil), newFixture(t, nil)
	gone := fixture{library: f.library}
	var err error
	gone.model, err = mini.Load(background, f.library, nil)
	require.NoError(t, err)
	gone.executor, err = f.library.NewExecutor(nil)
	require.NoError(t, err)
	gone.arena, err = f.library.NewArena(gone.executor)
	require.NoError(t, err)
	stale, err := gone.model.TextEncode(background, uform.Strings(someTexts), gone.arena, nil)
	require.NoError(t, err)
	kept, err := f.model.On(f.executor).TextEncode(background, uform.Strings(someTexts), f.arena, nil)
	require.NoError(t, err)
	pool, err := uform.NewPool(gone.model, &uform.PoolOptions{Executors: 1})
	require.NoError(t, err)
	for _, closing := range []interface{ Close() error }{pool, gone.arena, gone.executor, gone.model} {
		require.NoError(t, closing.Close())
	}
	pinned, err := f.library.NewArena(nil)
	require.NoError(t, err)
	held, err := f.model.TextEncode(background, uform.Strings(someTexts), pinned, nil)
	require.NoError(t, err)
	pin, err := held.Embeddings.Pin()
	require.NoError(t, err)
	released, err := held.Embeddings.Pin()
	require.NoError(t, err)
	released.Release()
	defer func() {
		pin.Release()
		require.NoError(t, pinned.Close())
	}()

	var noModel *uform.Model
	var noExecutor *uform.Executor
	var noArena *uform.Arena
	var noPool *uform.Pool
	texts := uform.Strings(someTexts)
	encode := func(on interface {
		TextEncode(ctx context.Context, texts uform.Tape, into *uform.Arena, options *uform.TextOptions) (uform.Encoded, error)
	}, texts uform.Tape, into *uform.Arena, options *uform.TextOptions) func() error {
		return func() error { _, err := on.TextEncode(background, texts, into, options); return err }
	}
	for name, row := range map[string]struct {
		misuse func() error
		want   error
	}{
		"nil model":             {encode(noModel, texts, f.arena, nil), uform.ErrInvalidArgument},
		"nil model on":          {encode(noModel.On(f.executor), texts, f.arena, nil), uform.ErrInvalidArgument},
		"nil executor":          {encode(f.model.On(nil), texts, f.arena, nil), uform.ErrInvalidArgument},
		"nil arena":             {encode(f.model, texts, nil, nil), uform.ErrInvalidArgument},
		"closed model":          {encode(gone.model, texts, f.arena, nil), uform.ErrClosed},
		"closed executor":       {encode(f.model.On(gone.executor), texts, f.arena, nil), uform.ErrInvalidArgument},
		"closed arena":          {encode(f.model, texts, gone.arena, nil), uform.ErrInvalidArgument},
		"foreign executor":      {encode(f.model.On(foreign.executor), texts, f.arena, nil), uform.ErrInvalidArgument},
		"foreign arena":         {encode(f.model, texts, foreign.arena, nil), uform.ErrInvalidArgument},
		"pinned arena":          {encode(f.model, texts, pinned, nil), uform.ErrContended},
		"decreasing offsets":    {encode(f.model, uform.Tape{Data: []byte("ab"), Offsets: []int64{2, 1}}, f.arena, nil), uform.ErrInvalidArgument},
		"offsets past the data": {encode(f.model, uform.Tape{Offsets: []int64{0, 1}}, f.arena, nil), uform.ErrInvalidArgument},
		"no UTF-8":              {encode(f.model, uform.Strings([]string{"\xff"}), ownArena(t, f), nil), uform.ErrMalformed},
		"unknown outputs":       {encode(f.model, texts, f.arena, &uform.TextOptions{Outputs: 0x80}), uform.ErrInvalidArgument},
		"unknown scalar":        {encode(f.model, texts, f.arena, &uform.TextOptions{Scalar: 99}), uform.ErrInvalidArgument},
		"states in i8":          {encode(f.model, texts, f.arena, &uform.TextOptions{Outputs: uform.States, Scalar: uform.I8}), uform.ErrUnsupported},
		"too few choices":       {func() error { _, err := f.model.TextChoose(background, texts, uform.Tape{}, f.arena, nil); return err }, uform.ErrInvalidArgument},
		"too few question types": {func() error {
			_, err := f.model.TextChoose(background, texts, texts, f.arena, &uform.ChooseOptions{QuestionTypes: []uint32{1}})
			return err
		}, uform.ErrInvalidArgument},
		"sides of nothing": {func() error {
			_, err := f.model.ImageEncodePixels(background, uform.Pixels{Tape: texts}, f.arena, nil)
			return err
		}, uform.ErrInvalidArgument},
		"a rate below zero": {func() error {
			_, err := f.model.AudioEncodeSamples(background, uform.Samples{Rate: -1}, f.arena, nil)
			return err
		}, uform.ErrInvalidArgument},
		"sides of another picture": {func() error {
			pixels := uform.Pixels{Tape: uform.Strings([]string{"six xx"}), Heights: []uint32{2}, Widths: []uint32{2}}
			_, err := f.model.ImageEncodePixels(background, pixels, ownArena(t, f), nil)
			return err
		}, uform.ErrShapeMismatch},
		"a sample that is no number": {func() error {
			_, err := f.model.AudioEncodeSamples(background, uform.Recordings(0, []float32{float32(math.NaN())}), ownArena(t, f), nil)
			return err
		}, uform.ErrMalformed},
		"offsets of samples past the data": {func() error {
			_, err := f.model.AudioEncodeSamples(background, uform.Samples{Offsets: []int64{0, 1}}, f.arena, nil)
			return err
		}, uform.ErrInvalidArgument},
		"pictures on a closed model": {func() error {
			_, err := gone.model.ImageEncode(background, uform.Tape{}, f.arena, nil)
			return err
		}, uform.ErrClosed},
		"recordings of a foreign executor": {func() error {
			_, err := f.model.On(foreign.executor).AudioEncode(background, uform.Tape{}, f.arena, nil)
			return err
		}, uform.ErrInvalidArgument},
		"videos to a foreign arena": {func() error {
			_, err := f.model.Deferred(f.executor).VideoEncode(background, uform.Tape{}, foreign.arena, nil)
			return err
		}, uform.ErrInvalidArgument},
		"half a recording": {func() error {
			whole := sampleFile(t, "audio", "s16.wav")
			_, err := f.model.AudioEncode(background, uform.Bytes([][]byte{whole[:len(whole)/2]}), ownArena(t, f), nil)
			return err
		}, uform.ErrMalformed},
		"no video": {func() error {
			_, err := f.model.VideoEncode(background, uform.Strings([]string{"x"}), ownArena(t, f), nil)
			return err
		}, uform.ErrMalformed},
		"no image": {func() error {
			_, err := f.model.ImageEncode(background, uform.Strings([]string{"x"}), ownArena(t, f), nil)
			return err
		}, uform.ErrMalformed},
		"deferred nowhere":       {func() error { _, err := f.model.Deferred(nil).TextEncode(background, texts, f.arena, nil); return err }, uform.ErrInvalidArgument},
		"embedding without":      {func() error { _, err := noModel.Embed(background, someTexts); return err }, uform.ErrInvalidArgument},
		"describing nothing":     {func() error { _, err := noModel.Describe(background); return err }, uform.ErrInvalidArgument},
		"draining nothing":       {func() error { return noExecutor.Drain() }, uform.ErrInvalidArgument},
		"draining a closed one":  {func() error { return gone.executor.Drain() }, uform.ErrClosed},
		"an executor of nothing": {func() error { _, err := noExecutor.Describe(); return err }, uform.ErrInvalidArgument},
		"an arena of nothing":    {func() error { _, err := noArena.Describe(); return err }, uform.ErrInvalidArgument},
		"a closed arena told":    {func() error { _, err := gone.arena.Describe(); return err }, uform.ErrClosed},
		"nil pool":               {func() error { _, err := noPool.Embed(background, someTexts); return err }, uform.ErrInvalidArgument},
		"nil pool doing":         {func() error { return noPool.Do(background, func(uform.On, *uform.Arena) error { return nil }) }, uform.ErrInvalidArgument},
		"closed pool":            {func() error { _, err := pool.Embed(background, someTexts); return err }, uform.ErrClosed},
		"a pool of nothing":      {func() error { _, err := uform.NewPool(nil, nil); return err }, uform.ErrInvalidArgument},
		"a pool of too many":     {func() error { _, err := uform.NewPool(f.model, &uform.PoolOptions{Executors: math.MaxInt}); return err }, uform.ErrInvalidArgument},
		"threads below zero":     {func() error { _, err := f.library.NewExecutor(&uform.ExecutorOptions{Threads: -1}); return err }, uform.ErrInvalidArgument},
		"a device of none":       {func() error { _, err := f.library.NewDeviceExecutor(nil); return err }, uform.ErrDevice},
		"loading nothing":        {func() error { _, err := f.library.Load(background, "", nil); return err }, uform.ErrInvalidArgument},
		"loading elsewhere": {func() error {
			_, err := mini.Load(background, f.library, &uform.LoadOptions{Executor: foreign.executor})
			return err
		}, uform.ErrInvalidArgument},
		"stale rows":            {func() error { _, err := stale.Embeddings.Copy(); return err }, uform.ErrInvalidArgument},
		"rows not asked for":    {func() error { _, err := kept.States.Copy(); return err }, uform.ErrInvalidArgument},
		"a row too many":        {func() error { _, err := kept.Embeddings.AppendTo(nil, 99); return err }, uform.ErrInvalidArgument},
		"a pin of another kind": {func() error { _, err := pin.Int8s(0); return err }, uform.ErrInvalidArgument},
		"a released pin":        {func() error { _, err := released.Float32s(0); return err }, uform.ErrInvalidArgument},
		"host rows for a GPU":   {func() error { _, err := kept.Embeddings.CUDAArray(); return err }, uform.ErrDevice},
		"two ways to open": {func() error {
			_, err := uform.Open(&uform.OpenOptions{Embedded: true, RequireNative: true})
			return err
		}, uform.ErrInvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			err := row.misuse()
			require.ErrorIs(t, err, row.want)
			var failure *uform.Error
			require.ErrorAs(t, err, &failure)
			require.NotEmpty(t, failure.Verb)
		})
	}
	require.NoError(t, kept.Embeddings.Err(), "no misuse has touched the outputs of the arena it named")
	for _, closing := range []interface{ Close() error }{noModel, noExecutor, noArena, noPool} {
		require.NoError(t, closing.Close(), "nothing is closed already")
	}
	require.NoError(t, encode(f.model, texts, f.arena, nil)())
}

// ownArena returns a new arena, for a call that gets as far as rewinding it.
func ownArena(t *testing.T, f fixture) *uform.Arena {
	t.Helper()
	arena, err := f.library.NewArena(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, arena.Close()) })
	return arena
}
