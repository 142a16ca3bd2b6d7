package train_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
)

// What is typed badly stays a text, and the shares are those that were asked for.
func TestNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	texts := []string{"A man is playing, the guitar!", "I", "?!", "日本語 の 文", "e\u0301tude — nº 5", " ", "word"}
	all := train.Noise{Typos: 1, Case: 1, Punctuation: 1}
	for range 2000 {
		for _, text := range texts {
			changed := all.Apply(random, text)
			require.True(t, utf8.ValidString(changed), "%q of %q", changed, text)
			require.NotEmpty(t, strings.TrimSpace(changed))
		}
	}
	for name, n := range map[string]train.Noise{"typos": {Typos: 0.3}, "case": {Case: 0.3}, "punctuation": {Punctuation: 0.3}} {
		changed := 0
		for range 10_000 {
			if n.Apply(random, "The quick, brown fox jumps over a lazy dog.") != "The quick, brown fox jumps over a lazy dog." {
				changed++
			}
		}
		// A letter may be swapped with its equal, or replaced by it.
		require.InDelta(t, 3000, changed, 250, name)
	}
	require.Equal(t, "a text", (&train.Noise{}).Apply(random, "a text"))
}
