package uform_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/model/modeltest"
	"github.com/unum-cloud/uform-go/uform"
)

// Two implementations that were written from the same page agree on every checkpoint and every
// text.

// pair is the same model in two libraries.
type pair struct {
	engine, native fixture
	config         *model.Config
}

func newPair(t *testing.T, random *rand.Rand) pair {
	t.Helper()
	config := modeltest.Config(random)
	checkpoint, err := modeltest.Checkpoint(random, config)
	require.NoError(t, err)
	return openPair(t, checkpoint, config)
}

// openPair loads a checkpoint into both.
func openPair(t *testing.T, checkpoint []byte, config *model.Config) pair {
	t.Helper()
	in := func(options *uform.OpenOptions) fixture {
		library, err := uform.Open(options)
		require.NoError(t, err)
		model, err := library.LoadBytes(background, checkpoint, nil)
		require.NoError(t, err)
		executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 2})
		require.NoError(t, err)
		arena, err := library.NewArena(executor)
		require.NoError(t, err)
		t.Cleanup(func() {
			require.NoError(t, arena.Close())
			require.NoError(t, executor.Close())
			require.NoError(t, model.Close())
		})
		return fixture{library, model, executor, arena}
	}
	return pair{in(&uform.OpenOptions{Embedded: true}), in(&uform.OpenOptions{Path: loadertest.Need(t)}), config}
}

// edgeTexts are none, one byte, every byte that UTF-8 allows, every length of a character, and
// longer than any context.
func edgeTexts() []string {
	var ascii, wide, following, beginning strings.Builder
	for b := range 128 {
		ascii.WriteByte(byte(b))
	}
	for _, r := range []rune{0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff} {
		wide.WriteRune(r)
	}
	// Every byte that follows in a character, and every one that begins one.
	for r := rune(0x80); r < 0x100; r++ {
		following.WriteRune(r)
	}
	for lead := rune(2); lead < 32; lead++ {
		beginning.WriteRune(lead << 6)
	}
	for lead := rune(0); lead < 16; lead++ {
		beginning.WriteRune(max(lead<<12, 0x800))
	}
	for lead := rune(0); lead < 5; lead++ {
		beginning.WriteRune(max(lead<<18, 0x10000))
	}
	return []string{"", "a", " ", "\x00", "A b\tC", ascii.String(), wide.String(), following.String(), beginning.String(), strings.Repeat("Über lang. ", 100)}
}

func randomTexts(random *rand.Rand, count int) []string {
	letters := []rune("abcdefgh  AEIéß日本🦊\t\u00A0..**É\u0301\u0323Я한\u11A8\u0958Ⱥ")
	texts := make([]string, count)
	for i := range texts {
		var text strings.Builder
		for range random.IntN(30) {
			text.WriteRune(letters[random.IntN(len(letters))])
		}
		texts[i] = text.String()
	}
	return texts
}

func requireClose(t *testing.T, want, got [][]float32, tolerance float64, what string) {
	t.Helper()
	require.Len(t, got, len(want), what)
	for i := range want {
		require.Len(t, got[i], len(want[i]), "%s %d", what, i)
		for j := range want[i] {
			if math.Abs(float64(want[i][j])-float64(got[i][j])) > tolerance {
				require.InDelta(t, want[i][j], got[i][j], tolerance, "%s %d, column %d", what, i, j)
			}
		}
	}
}

// same encodes texts in both, and compares the outputs.
func (p pair) same(t *testing.T, texts []string) {
	t.Helper()
	options := &uform.TextOptions{Outputs: uform.Embeddings | uform.States}
	encode := func(f fixture) (uform.Copied, []uform.Cut) {
		encoded, err := f.model.On(f.executor).TextEncode(background, uform.Strings(texts), f.arena, options)
		require.NoError(t, err)
		copied, err := encoded.Copy()
		require.NoError(t, err)
		return copied, encoded.Cut
	}
	want, wantCut := encode(p.engine)
	got, gotCut := encode(p.native)
	require.Equal(t, wantCut, gotCut)
	requireClose(t, want.Embeddings, got.Embeddings, 1e-4, "embedding")
	require.Len(t, got.States, len(want.States))
	for i := range want.States {
		requireClose(t, want.States[i], got.States[i], 1e-4, fmt.Sprintf("text %d: state", i))
	}
}

func (p pair) sameChoices(t *testing.T, random *rand.Rand, texts []string) {
	t.Helper()
	choices := make([]string, len(texts))
	types := make([]uint32, len(texts))
	for i := range texts {
		for _, b := range random.Perm(256)[:1+random.IntN(8)] {
			choices[i] += string([]byte{byte(b)})
		}
		types[i] = uint32(random.IntN(len(p.config.Decoder.QuestionTypes)))
	}
	choose := func(f fixture) [][]float32 {
		chosen, err := f.model.On(f.executor).TextChoose(background, uform.Strings(texts), uform.Strings(choices), f.arena,
			&uform.ChooseOptions{QuestionTypes: types})
		require.NoError(t, err)
		copied, err := chosen.Copy()
		require.NoError(t, err)
		return copied
	}
	requireClose(t, choose(p.engine), choose(p.native), 1e-5, "probabilities of text")
}

func TestTheEngineAndTheCLibraryAgree(t *testing.T) {
	loadertest.Need(t)
	for seed := range uint64(24) {
		t.Run(fmt.Sprint("checkpoint ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			p := newPair(t, random)
			texts := append(edgeTexts(), randomTexts(random, 40)...)
			p.same(t, texts)
			wantDescription, err := p.engine.model.Describe(background)
			require.NoError(t, err)
			gotDescription, err := p.native.model.Describe(background)
			require.NoError(t, err)
			// The memory of packing may differ between libraries.
			wantDescription.WeightsBytes, gotDescription.WeightsBytes = 0, 0
			require.Equal(t, wantDescription, gotDescription)
			p.sameDrawnMedia(t, random)

			for _, invalid := range []string{"\xff", "ok\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80"} {
				for _, f := range []fixture{p.engine, p.native} {
					_, err := f.model.On(f.executor).TextEncode(background, uform.Strings([]string{"fine", invalid}), f.arena, nil)
					require.ErrorIs(t, err, uform.ErrMalformed)
					var failure *uform.Error
					require.ErrorAs(t, err, &failure)
					require.Equal(t, 1, failure.Item)
				}
			}
			if p.config.Decoder != nil {
				p.sameChoices(t, random, texts)
				return
			}
			for _, f := range []fixture{p.engine, p.native} {
				_, err := f.model.TextChoose(background, uform.Strings([]string{"a"}), uform.Strings([]string{"b"}), f.arena, nil)
				require.ErrorIs(t, err, uform.ErrUnsupported)
			}
		})
	}
}

func TestTheyAgreeOnTenThousandTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	newPair(t, random).same(t, randomTexts(random, 10_000))
}
