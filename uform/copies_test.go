package uform_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// A deferred call copies what its offsets reach, and nothing else of the memory that they are
// offsets into.
func TestDeferredCallsCopyWhatTheyNeed(t *testing.T) {
	f := newFixture(t, heldOptions) // so that nothing runs before it is measured
	trainer, err := f.library.NewTrainerBytes(background, mini.Checkpoint(), f.executor, nil)
	require.NoError(t, err)
	defer trainer.Close()
	const size = 32 << 20
	window := uform.Tape{Data: make([]byte, size), Offsets: []int64{5, 8}}
	copy(window.Data[5:], "abc")
	pair := uform.Tape{Data: window.Data, Offsets: []int64{5, 8, 8}}
	deferred := f.model.Deferred(f.executor)
	type waiter interface{ Done() <-chan struct{} }
	for name, submit := range map[string]func() (waiter, error){
		"texts":      func() (waiter, error) { return deferred.TextEncode(background, window, f.arena, nil) },
		"choices":    func() (waiter, error) { return deferred.TextChoose(background, window, window, f.arena, nil) },
		"images":     func() (waiter, error) { return deferred.ImageEncode(background, window, f.arena, nil) },
		"videos":     func() (waiter, error) { return deferred.VideoEncode(background, window, f.arena, nil) },
		"recordings": func() (waiter, error) { return deferred.AudioEncode(background, window, f.arena, nil) },
		"pixels": func() (waiter, error) {
			pixels := uform.Pixels{Tape: window, Heights: []uint32{1}, Widths: []uint32{1}}
			return deferred.ImageEncodePixels(background, pixels, f.arena, nil)
		},
		"samples": func() (waiter, error) {
			samples := uform.Samples{Data: make([]float32, size/4)[: size/4 : size/4], Offsets: []int64{5, 1005}}
			return deferred.AudioEncodeSamples(background, samples, f.arena, nil)
		},
		"examples": func() (waiter, error) {
			return trainer.Deferred(f.executor).Step(background, uform.Examples{Contents: pair}, f.arena, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			own := uint64(0)
			if name == "samples" {
				own = size // which the test makes
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			call, err := submit()
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			<-call.Done()
			require.Less(t, after.TotalAlloc-before.TotalAlloc-own, uint64(size/2))
		})
	}
}

// The copied bytes are the right ones.
func TestDeferredSamplesOfAWindow(t *testing.T) {
	f := newFixture(t, nil)
	recording := make([]float32, 4_000)
	for i := range recording {
		recording[i] = float32(i%50)/50 - 0.5
	}
	want, err := f.model.AudioEncodeSamples(background, uform.Recordings(0, recording, recording[:100]), f.arena, nil)
	require.NoError(t, err)
	vectors, err := want.Embeddings.Copy()
	require.NoError(t, err)
	around := append(append(make([]float32, 7, 8_000), recording...), recording[:100]...)
	samples := uform.Samples{Data: append(around, 1, 1, 1), Offsets: []int64{7, 4_007, 4_107}}
	call, err := f.model.Deferred(f.executor).AudioEncodeSamples(background, samples, f.arena, nil)
	require.NoError(t, err)
	clear(samples.Data)
	clear(samples.Offsets)
	got, err := call.Wait(background)
	require.NoError(t, err)
	copied, err := got.Embeddings.Copy()
	require.NoError(t, err)
	require.Equal(t, vectors, copied)
}
