package uform_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Bugs that were reported for libraries like this one, each with the right value here. Those of
// opening a library (a stale one found first, a shifted layout, another version) are tests of
// package loader; dropped handles are in lifetimes_test.go, a hundred thousand embeddings in
// steady_test.go.

// everyLibrary runs a test on the engine and on the C library.
func everyLibrary(t *testing.T, test func(*testing.T, fixture)) {
	for name, library := range implementations(t) {
		t.Run(name, func(t *testing.T) {
			model, err := mini.Load(background, library, nil)
			require.NoError(t, err)
			executor, err := library.NewExecutor(nil)
			require.NoError(t, err)
			arena, err := library.NewArena(executor)
			require.NoError(t, err)
			defer func() {
				require.NoError(t, arena.Close())
				require.NoError(t, executor.Close())
				require.NoError(t, model.Close())
			}()
			test(t, fixture{library, model, executor, arena})
		})
	}
}

// Bug 2: a table of 2,000 callbacks that never frees. Two handlers are alive at any time here, and
// 10,000 in all.
func TestBug2TenThousandHandlers(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				arena, err := f.library.NewArena(nil)
				require.NoError(t, err)
				defer arena.Close()
				texts := uform.Strings([]string{"a"})
				for range 5_000 {
					heard := 0
					_, err := f.model.TextEncode(background, texts, arena, &uform.TextOptions{Progress: func(finished, total int) error {
						heard++
						return nil
					}})
					require.NoError(t, err)
					require.Positive(t, heard)
				}
			})
		}
		group.Wait()
	})
}

// Bug 4: an output that is freed while it is read. A copy stays valid, and a pinned output is the
// same after the close.
func TestBug4OutputsOutliveTheirArena(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		want := vectors(t, f.model, someTexts...)
		encoded, err := f.model.On(f.executor).TextEncode(background, uform.Strings(someTexts), f.arena, nil)
		require.NoError(t, err)
		copied, err := encoded.Embeddings.Copy()
		require.NoError(t, err)
		pin, err := encoded.Embeddings.Pin()
		require.NoError(t, err)
		require.NoError(t, f.arena.Close())
		for range 3 {
			runtime.GC()
		}
		require.Equal(t, want, copied)
		for i := range want {
			row, err := pin.Float32s(i)
			require.NoError(t, err)
			require.Equal(t, want[i], row)
		}
		pin.Release()
		require.ErrorIs(t, encoded.Embeddings.Err(), uform.ErrClosed)
		require.Equal(t, want, copied)
	})
}

// Bug 5: vectors that differ in a batch.
func TestBug5BatchesEqualSingles(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		random := rand.New(rand.NewPCG(5, 5))
		for _, size := range []int{1, 2, 3, 17, 64, 256} {
			texts := randomTexts(random, size)
			encoded, err := f.model.On(f.executor).TextEncode(background, uform.Strings(texts), f.arena, nil)
			require.NoError(t, err)
			batch, err := encoded.Embeddings.Copy()
			require.NoError(t, err)
			for _, i := range []int{0, size / 2, size - 1} {
				requireClose(t, vectors(t, f.model, texts[i]), batch[i:i+1], 1e-5, "text")
			}
		}
	})
}

// Bug 12: more goroutines than an executor serves.
func TestBug12AThousandGoroutinesOnOneExecutor(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		want := vectors(t, f.model, someTexts...)
		texts := uform.Strings(someTexts)
		var served, contended atomic.Int64
		var group sync.WaitGroup
		for range 1_000 {
			group.Go(func() {
				arena, err := f.library.NewArena(f.executor)
				require.NoError(t, err)
				defer arena.Close()
				encoded, err := f.model.On(f.executor).TextEncode(background, texts, arena, nil)
				if errors.Is(err, uform.ErrContended) {
					contended.Add(1)
					return
				}
				require.NoError(t, err)
				got, err := encoded.Embeddings.Copy()
				require.NoError(t, err)
				require.Equal(t, want, got)
				served.Add(1)
			})
		}
		group.Wait()
		require.Positive(t, served.Load())
		require.EqualValues(t, 1_000, served.Load()+contended.Load())
	})
}

// Copying while another goroutine closes the arena copies or is an error; it never panics.
func TestCopyingUnderAClosingArena(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		for range 200 {
			arena, err := f.library.NewArena(nil)
			require.NoError(t, err)
			chosen, err := f.model.TextChoose(background, uform.Strings(someTexts), uform.Strings([]string{"ab", "c", "xyz"}), arena, nil)
			require.NoError(t, err)
			var group sync.WaitGroup
			group.Go(func() { require.NoError(t, arena.Close()) })
			copied, err := chosen.Copy()
			if err != nil {
				require.ErrorIs(t, err, uform.ErrClosed)
			} else {
				require.Len(t, copied, len(someTexts))
			}
			group.Wait()
		}
	})
}
