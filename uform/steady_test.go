package uform_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/model/modeltest"
	"github.com/unum-cloud/uform-go/uform"
)

// steadyCalls are how many calls have to leave memory as it was: few, unless the variable
// UFORM_LONG is set.
func steadyCalls() int {
	if os.Getenv("UFORM_LONG") != "" {
		return 100_000
	}
	return 5_000
}

// steadyGrowth is how much of resident memory may be there at the end that was not there after the
// warm-up. A leak of 42 bytes a call exceeds it in 100,000 calls. What remains below it is the
// collector's own bookkeeping and pages that the runtime, the kernel and malloc have yet to give
// back.
const steadyGrowth = 4 << 20

// steadyRounds is how often the calls may be repeated until memory stays: what leaks, does so in
// each round, while the runtime's own growth, above all under the race detector, ends.
const steadyRounds = 4

// resident is the process's memory that is in RAM, after the collector has returned what it can.
func resident(t *testing.T) int {
	t.Helper()
	runtime.GC() // what the first one frees may refer to more
	debug.FreeOSMemory()
	told, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("this system does not report resident memory: ", err)
	}
	var size, pages int
	_, err = fmt.Fscan(bytes.NewReader(told), &size, &pages)
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

// Bug 15: SIGBUS after some 400 embeddings in sequence. Here 100,000 in sequence, on every kind of
// blocking receiver, answer the right values and leave memory as it was. The model is tiny, for
// what a call costs in memory is not a matter of its size. The texts are of all lengths, none and
// longer than the context among them.
func TestBug15AHundredThousandEmbeddings(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 15))
	config := &model.Config{
		Modalities: []string{"text"}, Context: 12, Width: 16, Layers: 1, Heads: 2, Hidden: 17, Columns: 8,
		Grams: &model.Grams{Sizes: []int{2, 3}, Hashes: 1, Buckets: 50, Words: true},
	}
	checkpoint, err := modeltest.Checkpoint(random, config)
	require.NoError(t, err)
	texts := make([]string, 2*config.Context)
	for i := range texts {
		texts[i] = strings.Repeat("a cat on a mat ", i)[:i]
	}
	for name, library := range implementations(t) {
		t.Run(name, func(t *testing.T) {
			model, err := library.LoadBytes(background, checkpoint, nil)
			require.NoError(t, err)
			executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 1})
			require.NoError(t, err)
			arena, err := library.NewArena(executor)
			require.NoError(t, err)
			defer func() {
				require.NoError(t, arena.Close())
				require.NoError(t, executor.Close())
				require.NoError(t, model.Close())
			}()
			embedded := vectors(t, model, texts...)
			encoded, err := model.TextEncode(background, uform.Strings(texts), arena, nil)
			require.NoError(t, err)
			want, err := encoded.Embeddings.Copy()
			require.NoError(t, err)
			require.Equal(t, embedded[:config.Context+1], want[:config.Context+1], "texts that fit")
			wants := [][][]float32{want, want, embedded}
			var tape uform.Tape
			calls := []func(text string) ([]float32, error){
				func(text string) ([]float32, error) { return first(model.TextEncode(background, tape, arena, nil)) },
				func(text string) ([]float32, error) {
					return first(model.On(executor).TextEncode(background, tape, arena, nil))
				},
				func(text string) ([]float32, error) {
					rows, err := model.Embed(background, []string{text})
					if err != nil {
						return nil, err
					}
					return rows[0], nil
				},
			}
			run := func(count int) {
				for i := range count {
					text := i % len(texts)
					tape.Reset()
					tape.AppendString(texts[text])
					got, err := calls[i%len(calls)](texts[text])
					if want := wants[i%len(calls)][text]; err != nil || !slices.Equal(want, got) {
						require.NoError(t, err, "call %d", i)
						require.Equal(t, want, got, "call %d", i)
					}
				}
			}
			run(1_000)
			growth := steadyGrowth
			for round := 0; round < steadyRounds && growth >= steadyGrowth; round++ {
				before := resident(t)
				run(steadyCalls())
				after := resident(t)
				growth = after - before
				t.Logf("%d calls: %d KiB resident before, %d KiB after", steadyCalls(), before>>10, after>>10)
			}
			require.Less(t, growth, steadyGrowth)
		})
	}
}

// first copies the only embedding there is.
func first(encoded uform.Encoded, err error) ([]float32, error) {
	if err != nil {
		return nil, err
	}
	return encoded.Embeddings.AppendTo(nil, 0)
}
