package words_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

// development is the development split of the STS benchmark. Parts of it may be used for research
// alone, so it is not in the repository, but may stand beside it.
var development = filepath.Join("..", "..", "..", "shared", "data", "sts-dev.csv")

var (
	eachWord  = regexp.MustCompile(`\S+`)
	eachThird = regexp.MustCompile(`((?:\S+ ){2})`)
)

// Letter case, white space and punctuation do not change how a text ranks.
func TestChangesThatCountForLittle(t *testing.T) {
	file, err := os.ReadFile(development)
	if err != nil {
		t.Skip("left out: the development split of the STS benchmark does not stand beside the repository")
	}
	scored, model := string(file), load(t, &uform.OpenOptions{Embedded: true})
	unchanged := spearman(t, model, scored, nil)
	for _, change := range []struct {
		name   string
		within float64
		of     func(string) string
	}{
		{"double spaces", 0.002, func(s string) string { return strings.ReplaceAll(s, " ", "  ") }},
		{"eight spaces in front", 0.002, func(s string) string { return "        " + s }},
		{"wrapped and indented", 0.002, func(s string) string { return "    " + eachThird.ReplaceAllString(s, "$1\n    ") }},
		{"forty spaces behind", 0.002, func(s string) string { return s + strings.Repeat(" ", 40) }},
		{"no-break spaces", 0.002, func(s string) string { return strings.ReplaceAll(s, " ", "\u00A0") }},
		{"tabs", 0.002, func(s string) string { return strings.ReplaceAll(s, " ", "\t") + "\r\n" }},
		{"line separators", 0.002, func(s string) string { return "\u2028" + strings.ReplaceAll(s, " ", "\u2029\u3000") }},
		{"capitals", 0.002, strings.ToUpper},
		{"title case", 0.002, func(s string) string {
			return eachWord.ReplaceAllStringFunc(s, func(word string) string {
				_, size := utf8.DecodeRuneInString(word)
				return strings.ToTitle(word[:size]) + word[size:]
			})
		}},
		{"21 dots behind", 0.03, func(s string) string { return s + strings.Repeat(".", 21) }},
		{"21 dots apart", 0.03, func(s string) string { return s + " " + strings.Repeat(".", 21) }},
		{"eight exclamation marks", 0.03, func(s string) string { return s + "!!!!!!!!" }},
		{"bold words", 0.03, func(s string) string { return eachWord.ReplaceAllString(s, "**$0**") }},
		{"underlined words", 0.03, func(s string) string { return eachWord.ReplaceAllString(s, "__${0}__") }},
		{"a line below", 0.03, func(s string) string { return s + "\n------------------------------\n" }},
	} {
		t.Run(change.name, func(t *testing.T) {
			figure := spearman(t, model, scored, change.of)
			t.Logf("%.4f, unchanged %.4f", figure, unchanged)
			require.InDelta(t, unchanged, figure, change.within)
		})
	}
}

// Texts that differ only in ignored features have the same vector, to the bit.
func TestWhatCountsForNothing(t *testing.T) {
	model := load(t, &uform.OpenOptions{Embedded: true})
	for _, same := range [][2]string{
		{"Быстрая коричневая лиса прыгает через ленивую собаку", "БЫСТРАЯ КОРИЧНЕВАЯ ЛИСА ПРЫГАЕТ ЧЕРЕЗ ЛЕНИВУЮ СОБАКУ"},
		{"Ёлка и ещё йод", "ЁЛКА И ЕЩЁ ЙОД"},
		{"η γρήγορη αλεπού στους δρόμους", "Η ΓΡΉΓΟΡΗ ΑΛΕΠΟΎ ΣΤΟΥΣ ΔΡΌΜΟΥΣ"},
		{"արագ աղվես", "ԱՐԱԳ ԱՂՎԵՍ"},
		{"un café à la crème", "UN CAFE\u0301 A\u0300 LA CRE\u0300ME"},
		{"two words", "\u3000\u00A0 two\u2028\t words \n"},
		{"wait what", "wait........ **what**"},
		{"", " \t\u00A0\n"},
	} {
		vectors := embed(t, model, same[:]...)
		require.Equal(t, vectors[0], vectors[1], "%q", same)
	}
}

// A row of bytes has length 1 up to rounding, also that of a text of which nothing is left.
// Rounding 384 columns changes the square by 0.0045 in the root mean square.
func TestRowsOfBytesHaveLengthOne(t *testing.T) {
	model := load(t, &uform.OpenOptions{Embedded: true})
	arena, err := model.Library().NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	texts := []string{"", " ", "a", "A man is dancing."}
	encoded, err := model.TextEncode(t.Context(), uform.Strings(texts), arena, &uform.TextOptions{Scalar: uform.I8})
	require.NoError(t, err)
	pin, err := encoded.Embeddings.Pin()
	require.NoError(t, err)
	defer pin.Release()
	for i := range texts {
		row, err := pin.Int8s(i)
		require.NoError(t, err)
		squares := 0
		for _, v := range row {
			squares += int(v) * int(v)
		}
		require.InDelta(t, 1, float64(squares)/(127*127), 0.018, "%q", texts[i])
	}
}
