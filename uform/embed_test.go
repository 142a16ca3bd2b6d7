package uform_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

// contextOf returns the model's context in bytes.
func contextOf(t *testing.T, model *uform.Model) int {
	t.Helper()
	description, err := model.Describe(background)
	require.NoError(t, err)
	return description.Context
}

// longText returns words of n bytes in all.
func longText(random *rand.Rand, size int) string {
	words := strings.Fields("the quick brown fox jumps over a lazy dog собака ёж 犬 naïve 👍🏽")
	var text strings.Builder
	for text.Len() < size {
		text.WriteString(words[random.IntN(len(words))])
		text.WriteByte(' ')
	}
	return text.String()
}

// embedders are the ways to embed.
func embedders(t *testing.T, f fixture) map[string]func(context.Context, []string, *uform.EmbedOptions) ([][]float32, error) {
	t.Helper()
	pool, err := uform.NewPool(f.model, &uform.PoolOptions{Executors: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	return map[string]func(context.Context, []string, *uform.EmbedOptions) ([][]float32, error){
		"model": f.model.EmbedWith, "pool": pool.EmbedWith,
	}
}

// A text longer than the context is the mean of its windows, by their bytes; its neighbours are
// what they are without it, to the bit.
func TestEmbeddingLongTexts(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		limit := contextOf(t, f.model)
		random := rand.New(rand.NewPCG(13, 3))
		long := longText(random, 3*limit)
		texts := []string{"a cat", long, "", strings.Repeat("x", limit), long + " another tail", "a dog"}
		mean := func(text string) []float32 {
			var sum []float64
			for window := range uform.Windows(text, limit) {
				row := vectors(t, f.model, window)[0]
				sum = append(sum, make([]float64, len(row)-len(sum))...)
				for i, value := range row {
					sum[i] += float64(value) * float64(len(window))
				}
			}
			squares := 0.0
			for _, value := range sum {
				squares += value * value
			}
			var row []float32
			for _, value := range sum {
				row = append(row, float32(value/math.Sqrt(squares)))
			}
			return row
		}
		short := vectors(t, f.model, texts[0], texts[2], texts[3], texts[5])
		for name, embed := range embedders(t, f) {
			t.Run(name, func(t *testing.T) {
				got, err := embed(background, texts, nil)
				require.NoError(t, err)
				require.Len(t, got, len(texts))
				require.Equal(t, short, [][]float32{got[0], got[2], got[3], got[5]})
				requireClose(t, [][]float32{mean(texts[1]), mean(texts[4])}, [][]float32{got[1], got[4]}, 1e-5, "a long text")
				require.NotEqual(t, got[1], got[4], "the tails differ")

				_, err = embed(background, texts, &uform.EmbedOptions{Whole: true})
				require.ErrorIs(t, err, uform.ErrInvalidArgument)
				requireItem(t, err, 1)
				whole, err := embed(background, texts[2:4], &uform.EmbedOptions{Whole: true})
				require.NoError(t, err)
				require.Equal(t, short[1:3], whole)
			})
		}
		arena, err := f.library.NewArena(nil)
		require.NoError(t, err)
		defer arena.Close()
		encoded, err := f.model.TextEncode(background, uform.Strings(texts), arena, nil)
		require.NoError(t, err)
		require.Equal(t, []uform.Cut{{Item: 1, Bytes: len(long) - limit}, {Item: 4, Bytes: len(texts[4]) - limit}}, encoded.Cut)
	})
}

func requireItem(t *testing.T, err error, item int) {
	t.Helper()
	var failure *uform.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, item, failure.Item)
}

// Long white space does not move the vector of a text towards that of the empty text.
func TestWindowsOfWhiteSpaceAlone(t *testing.T) {
	f := newFixture(t, nil)
	limit := contextOf(t, f.model)
	blank := strings.Repeat(" ", 4*limit)
	got := vectors(t, f.model, blank+"word", blank+"\n"+blank)
	require.Equal(t, vectors(t, f.model, slices.Collect(uform.Windows(blank+"word", limit))[4])[0], got[0])
	require.Len(t, got[1], len(got[0]))
	for _, value := range got[1] {
		require.False(t, math.IsNaN(float64(value)))
	}
}

// Many windows are many calls. Errors name the text, handlers count texts, and what ends a call
// ends it between any two.
func TestEmbeddingManyWindows(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		limit := contextOf(t, f.model)
		random := rand.New(rand.NewPCG(13, 4))
		long := longText(random, 3*limit)
		before := vectors(t, f.model, "after")
		for name, embed := range embedders(t, f) {
			t.Run(name, func(t *testing.T) {
				for item, texts := range [][]string{{long + "\xff", "x"}, {long, "br\xffken"}, {"a", long, "\xff" + long}} {
					_, err := embed(background, texts, nil)
					require.ErrorIs(t, err, uform.ErrMalformed)
					requireItem(t, err, item)
				}

				var heard []int
				_, err := embed(background, []string{"a", long, "b"}, &uform.EmbedOptions{Progress: func(finished, total int) error {
					require.Equal(t, 3, total)
					heard = append(heard, finished)
					return nil
				}})
				require.NoError(t, err)
				require.True(t, slices.IsSorted(heard))
				require.Zero(t, heard[0])
				require.Equal(t, 3, heard[len(heard)-1])

				// The memory is that of a batch, for texts of any length.
				huge := strings.Repeat("word ", 20<<20)
				reason := errors.New("enough")
				ctx, cancel := context.WithCancelCause(background)
				for name, stop := range map[string]func() error{
					"by the handler": func() error { return reason },
					"by the context": func() error { cancel(reason); return nil },
				} {
					var begin, end runtime.MemStats
					runtime.ReadMemStats(&begin)
					_, err = embed(ctx, []string{"a", huge}, &uform.EmbedOptions{Progress: func(int, int) error { return stop() }})
					runtime.ReadMemStats(&end)
					require.ErrorIs(t, err, uform.ErrCancelled, name)
					require.ErrorIs(t, err, reason, name)
					require.Less(t, end.TotalAlloc-begin.TotalAlloc, uint64(16<<20), name)
				}
				require.Panics(t, func() {
					_, _ = embed(background, []string{long}, &uform.EmbedOptions{Progress: func(int, int) error { panic("oh") }})
				})
				after, err := embed(background, []string{"after"}, nil)
				require.NoError(t, err)
				require.Equal(t, before, after)
			})
		}
	})
}
