package fold_test

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/unum-cloud/uform-go/internal/fold"
)

func folded(text string) string {
	var f fold.Folder
	return string(f.Append(nil, []byte(text)))
}

func TestExamples(t *testing.T) {
	for _, example := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"capitals", "The QUICK Fox", "the quick fox"},
		{"amounts of white space", "  a \t\r\n b\v\fc   ", "a b c"},
		{"kinds of white space", "\u0085a\u00A0b\u1680c\u2000d\u200Ae\u2028f\u2029g\u202Fh\u205Fi\u3000", "a b c d e f g h i"},
		{"no white space", "a\u200Bb\uFEFFc\u180Ed", "a\u200Bb\uFEFFc\u180Ed"},
		{"white space alone", " \t\u00A0\n", ""},
		{"Russian", "СЪЕШЬ Ёлку", "съешь ёлку"},
		{"final sigma", "ΟΔΟΣ οδος", "οδοσ οδοσ"},
		{"dotted and dotless", "İI\u0307Iıi", "iiiii"},
		{"dotless as a small letter", "i\u0307", "i\u0307"},
		{"title case", "ǅ ǆ Ǆ", "ǆ ǆ ǆ"},
		{"sharp s", "ẞß ss", "ßß ss"},
		{"signs that are letters", "\u212A\u212B\u2126\u00B5\u017F", "kåωμs"},
		{"Georgian and Cherokee", "\u1C90\u10D0\u13A0\uAB70", "\u10D0\u10D0\uAB70\uAB70"},
		{"longer than it was", "\u023A\u023E", "\u2C65\u2C66"},
		{"composed", "E\u0301e\u0301É", "ééé"},
		{"composed as a small letter alone", "J\u030C", "ǰ"},
		{"out of order", "a\u0301\u0323", "ạ\u0301"},
		{"blocked", "a\u0315\u0300", "à\u0315"},
		{"never composed", "\u0958", "\u0915\u093C"},
		{"Hangul", "\u1112\u1161\u11ab", "한"},
		{"a syllable and a trail", "하\u11ab", "한"},
		{"a mark without a letter", "\u0301A", "\u0301a"},
		{"a mark after white space", "a \u0301", "a \u0301"},
		{"a greater-than that is not", "a >\u0338 b", "a ≯ b"},
		{"a run behind a word", "wait......... what", "wait what"},
		{"a run by itself", "wait ......... what", "wait ... what"},
		{"a pair by itself", "a -- b", "a -- b"},
		{"runs alone", "??????", "???"},
		{"two runs that touch", "a !!!??? b", "a b"},
		{"emphasis", "**bold** __init__ ~~gone~~ ``code``", "bold init gone code"},
		{"single marks", "(don't) e.g. 3.14!", "(don't) e.g. 3.14!"},
		{"no punctuation", "C++ $$ aaaa 1111 ☺☺☺☺", "c++ $$ aaaa 1111 ☺☺☺☺"},
		{"punctuation of other scripts", "好。。。。。 。。。。。", "好 。。。"},
		{"ends of a cut text", "\x9F\x92ab\xF0\x9F", "\x9F\x92ab\xF0\x9F"},
		{"a mark after no character", "\xF0\u0301", "\xF0\u0301"},
	} {
		t.Run(example.name, func(t *testing.T) {
			require.Equal(t, example.want, folded(example.text))
			require.Equal(t, example.want, folded(example.want))
		})
	}
}

// known reports whether the libraries that the fold is compared with have the Unicode version of
// its tables.
func known(t testing.TB) bool {
	if unicode.Version == "15.0.0" && norm.Version == "15.0.0" {
		return true
	}
	t.Logf("left out: this Go has Unicode %s, its norm %s", unicode.Version, norm.Version)
	return false
}

// byDefinition returns the fold as docs/checkpoint.md defines it, by other libraries.
func byDefinition(text string) string {
	letters := norm.NFC.String(strings.Map(func(c rune) rune {
		switch {
		case norm.NFC.PropertiesString(string(c)).CCC() != 0:
			return c
		case unicode.Is(unicode.White_Space, c):
			return ' '
		}
		return unicode.ToLower(unicode.ToUpper(c))
	}, norm.NFC.String(text)))
	runes := append([]rune{' '}, []rune(letters+" ")...)
	var out strings.Builder
	for i := 0; i < len(runes); {
		end := i + 1
		if unicode.IsPunct(runes[i]) || strings.ContainsRune("`^|~<=>", runes[i]) {
			for runes[end] == runes[i] {
				end++
			}
		}
		switch {
		case end == i+1:
			out.WriteRune(runes[i])
		case runes[i-1] != ' ' || runes[end] != ' ':
			out.WriteRune(' ')
		default:
			out.WriteString(string(runes[i:min(end, i+3)]))
		}
		i = end
	}
	return strings.Join(strings.FieldsFunc(out.String(), func(c rune) bool { return c == ' ' }), " ")
}

func TestEveryCodePoint(t *testing.T) {
	all := sha256.New()
	same := !testing.Short() && known(t) // the sum alone detects any difference
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if !utf8.ValidRune(c) {
			continue
		}
		for _, text := range []string{string(c), "x" + string(c) + "y", "E" + string(c) + "\u0301"} {
			got := folded(text)
			all.Write([]byte(got + "\n"))
			if folded(got) != got {
				require.Equal(t, got, folded(got), "%q again", text)
			}
			if want := byDefinition(text); same && got != want {
				require.Equal(t, want, got, "%q", text)
			}
			if len(got) > 3*len(text) {
				require.Fail(t, "longer than thrice", "%q", text)
			}
		}
	}
	require.Equal(t, goldenPoints, hex.EncodeToString(all.Sum(nil)), "the fold is the same for all time")
}

const goldenPoints = "f9828c8065aea5ec32f8017c65923657bfec792ecc02f25c630f667c347380b1"

// pieces returns the pieces of random texts: all that changes, sorts, composes, separates or
// repeats.
func pieces() []string {
	all := []string{" ", "  ", "\n", "\u00A0", ".", "..", "**", "-", "=", "<", "\u0338", "\u0334", "a", "B", "ab c", "\u1112", "\u1161", "\u11ab", "하", "한", "\u0BC6", "\u0BBE"}
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if utf8.ValidRune(c) && (folded(string(c)) != string(c) || c >= 0x300 && c < 0x370 || c > 0x7F && norm.NFC.PropertiesString(string(c)).CCC() != 0) {
			all = append(all, string(c))
		}
	}
	return all
}

func draw(random *rand.Rand, pieces []string) string {
	var text strings.Builder
	for range 1 + random.IntN(20) {
		if random.IntN(2) == 0 {
			text.WriteString(pieces[random.IntN(30)])
		} else {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
	}
	return text.String()
}

// streamSafe reports whether a text has no longer run of marks than x/text permits before it
// inserts a joiner.
func streamSafe(text string) bool {
	marks := 0
	for _, c := range norm.NFD.String(text) {
		if marks++; norm.NFC.PropertiesString(string(c)).CCC() == 0 {
			marks = 0
		}
		if marks >= 30 {
			return false
		}
	}
	return true
}

func TestRandomTexts(t *testing.T) {
	same, pieces := known(t), pieces()
	random := rand.New(rand.NewPCG(1, 2))
	count := 20_000
	if testing.Short() {
		count = 1000
	}
	for range count {
		text := draw(random, pieces)
		check(t, text, same)
		require.True(t, !same || folded(norm.NFD.String(text)) == folded(text), "%q decomposed", text)
	}
}

func check(t testing.TB, text string, same bool) {
	got := folded(text)
	if again := folded(got); again != got {
		require.Equal(t, got, again, "%q again", text)
	}
	if same && utf8.ValidString(text) && streamSafe(text) {
		if want := byDefinition(text); want != got {
			require.Equal(t, want, got, "%q", text)
		}
	}
	var f fold.Folder
	placed, places := f.AppendPlaces([]byte("before"), []byte(text))
	require.Equal(t, "before"+got, string(placed))
	require.Len(t, places, len(text))
	for i, place := range places {
		require.True(t, 0 <= place && int(place) < max(len(got), 1), "%q byte %d is at %d", text, i, place)
		require.True(t, i == 0 || places[i-1] <= place+3, "%q", text)
	}
}

// The C library's test has the same number: of every code point alone, and between a letter and a
// mark.
func TestTheNumberOfTheCLibrary(t *testing.T) {
	hash := fnv.New64a()
	var f fold.Folder
	var text []byte
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if utf8.ValidRune(c) {
			text = append(f.Append(text[:0], []byte(string(c))), '\n')
			text = append(f.Append(text, []byte("E"+string(c)+"\u0301")), '\n')
			hash.Write(text)
		}
	}
	require.Equal(t, uint64(goldenNumber), hash.Sum64(), "%x", hash.Sum64())
}

const goldenNumber = 0xB4DB3CAD8E3102DC

// FuzzFold compares the fold of valid text with the definition, and checks that the fold of any
// text folds to itself.
func FuzzFold(f *testing.F) {
	for _, text := range []string{
		"", "The \u00A0Quick..... **FOX**", "J\u030C İ ς", "a\u0315\u0300\u05AE\u0301", "\u1112\u1161\u11ab", "\xF0\x9F..", "\u0958\U0001D160", "<<\u0338 == \u0338",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, text, known(t)) })
}

func BenchmarkFold(b *testing.B) {
	for name, text := range map[string]string{
		"ASCII": "A man with a hard hat is dancing in the street, all by himself.", "Russian": "Человек в каске танцует посреди улицы.",
		"composed": strings.Repeat("e\u0301a", 16), "marks": strings.Repeat("\u0301\u0323", 1<<18), "a long run": strings.Repeat(".", 1<<20),
	} {
		b.Run(name, func(b *testing.B) {
			var f fold.Folder
			var folded []byte
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				folded = f.Append(folded[:0], []byte(text))
			}
		})
	}
}
