package model_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/model"
)

// The numbers were computed in another language, with integers of any size, from the formulas of
// docs/checkpoint.md.
var hashExamples = []struct {
	bytes      string
	gram, word uint64
	rows       [4]int    // of the gram, of 1,000,003 buckets
	signs      [2]uint64 // of the gram, z(0) and z(3)
}{
	{"\x20", 0x1E452F25F465E12E, 0xBF675A4448568AD1, [4]int{514709, 116325, 270385, 767793}, [2]uint64{0x975C8A00A71384C1, 0xC423D29396ED1EA2}},
	{"\x00", 0x5755F7F7A652AACE, 0xF878231609DDCEB2, [4]int{453580, 289669, 940445, 668139}, [2]uint64{0x9614648059B2A418, 0xA9E4AD08E5ADF220}},
	{"\xFF", 0xBE13B82AA156BD01, 0xCE29564CE2A9D505, [4]int{684146, 232159, 96429, 295219}, [2]uint64{0xADAB7BCBBCB9DB40, 0x65ED8A3840AEC0F8}},
	{" a", 0x06F66D0B0F6A8BF5, 0x2F6128D0C40F5222, [4]int{341873, 630998, 52726, 242666}, [2]uint64{0x0C753C131ED8D663, 0xD719223F2BC4B0CE}},
	{"ab", 0x66AA22330A431C81, 0x1E5CBDC6407CCDA7, [4]int{115879, 249618, 521713, 832552}, [2]uint64{0x22E9BC4FFBD8E59D, 0xB13EC68F6ABA5017}},
	{"the", 0x666575FF2A1BAC0D, 0x52EA9428A48B68E9, [4]int{411817, 834594, 515130, 989025}, [2]uint64{0x7294A39DE371FB72, 0xB2206AB47A91674C}},
	{"quick br", 0x2FE5D6B8770163B2, 0x8F8563FFE405655C, [4]int{795713, 450418, 633703, 212092}, [2]uint64{0x3F03E3538CF993CF, 0xF654E82FCAAAB849}},
	{"\xF0\x9F\x99\x82", 0x7C10DBECFF37F4E1, 0x461FD6D811865DC3, [4]int{833781, 834716, 92046, 487852}, [2]uint64{0xD2D137C9154FA758, 0xB21DAB8E6F314241}},
}

func TestHashExamples(t *testing.T) {
	for _, example := range hashExamples {
		t.Run(fmt.Sprintf("%q", example.bytes), func(t *testing.T) {
			h := model.HashGram([]byte(example.bytes))
			require.Equal(t, example.gram, h)
			require.Equal(t, example.word, model.HashWord([]byte(example.bytes)))
			require.Equal(t, example.rows, model.HashRows(h, 1000003))
			require.Equal(t, example.signs, [2]uint64{model.HashSigns(h, 0), model.HashSigns(h, 3)})
		})
	}
}

// The same formula with integers that do not wrap by themselves.
func TestHashWrapsAtSixtyFourBits(t *testing.T) {
	modulus := new(big.Int).Lsh(big.NewInt(1), 64)
	for length := 1; length <= 8; length++ {
		for last := range 256 {
			gram := []byte("\x00\x7F\x80\xFF hi")[:length-1]
			gram = append(gram[:length-1:length-1], byte(last))
			h := new(big.Int).Mul(big.NewInt(int64(length)), new(big.Int).SetUint64(0xC2B2AE3D27D4EB4F))
			h.Mod(h, modulus)
			for _, b := range gram {
				h.Xor(h, big.NewInt(int64(b)+1))
				h.Mul(h, new(big.Int).SetUint64(0x9E3779B97F4A7C15)).Mod(h, modulus)
				h.Xor(h, new(big.Int).Rsh(h, 29))
			}
			require.Equal(t, h.Uint64(), model.HashGram(gram), "%q", gram)
		}
	}
}

// Which n-grams and words belong to which byte, written out by hand.
func TestGramsByHand(t *testing.T) {
	config := model.Config{Modalities: []string{"text"}, Context: 64, Width: 6, Columns: 2,
		Grams: &model.Grams{Sizes: []int{1, 3}, Hashes: 2, Buckets: 257, Words: true, Fold: true}}
	plain := config
	plainGrams := *config.Grams
	plainGrams.Fold = false
	plain.Grams = &plainGrams
	for _, example := range []struct {
		name   string
		config model.Config
		text   string
		grams  [][]string
		words  [][]string
	}{
		{"folded", config, "Ab\tC", // between spaces: " ab c "
			[][]string{{"a"}, {"b", " ab"}, {" ", "ab "}, {"c", "b c", " ", " c "}},
			[][]string{nil, {"ab"}, nil, {"c"}}},
		{"as it is", plain, "Ab\tC",
			[][]string{{"A"}, {"b", " Ab"}, {"\t", "Ab\t"}, {"C", "b\tC", " ", "\tC "}},
			[][]string{nil, nil, nil, {"Ab\tC"}}},
		{"one byte", config, "x", [][]string{{"x", " ", " x "}}, [][]string{{"x"}}},
		{"a space", config, " ", [][]string{{" ", " ", "   "}}, [][]string{nil}},
		{"inside a character", config, "\xE9\x9F", [][]string{{"\xE9"}, {"\x9F", " \xE9\x9F", " ", "\xE9\x9F "}}, [][]string{nil, {"\xE9\x9F"}}},
	} {
		t.Run(example.name, func(t *testing.T) {
			c := newCheckpoint(13, example.config, model.F32, model.F32)
			_, states := encodeAll(t, c.parse(t, nil), [][]byte{[]byte(example.text)})
			for i := range example.text {
				want := append([]float64{}, c.reference.matrices["bytes"][example.text[i]]...)
				var hashes []uint64
				for _, gram := range example.grams[i] {
					hashes = append(hashes, model.HashGram([]byte(gram)))
				}
				for _, word := range example.words[i] {
					hashes = append(hashes, model.HashWord([]byte(word)))
				}
				for _, h := range hashes {
					rows := model.HashRows(h, 257)
					for _, row := range rows[:config.Grams.Hashes] {
						for k, v := range c.reference.matrices["grams"][row] {
							want[k] += v
						}
					}
				}
				requireClose(t, want, states[i*6:(i+1)*6], 1e-5, "byte %d", i)
			}
		})
	}
}
