package model_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/model"
)

// Rows of hashes are remainders, whatever the number of rows.
func TestRowsAreRemainders(t *testing.T) {
	random := rand.New(rand.NewPCG(61, 1))
	for _, count := range []uint64{1, 2, 3, 7, 64, 73500, 1 << 16, 1<<24 - 3, 1<<24 - 1, 1 << 24} {
		for i := range uint64(2000) {
			h := random.Uint64() >> (i % 64)
			if i%2 == 0 {
				h = h/count*count - i%3 // close to a multiple
			}
			h ^= h >> 32 // the inverse of the mixing of a hash: x is its result
			x := h ^ h>>32
			require.EqualValues(t, x%count, model.HashRows(h, int(count))[0], "%d of %d", x, count)
		}
		h := uint64(math.MaxUint64) ^ math.MaxUint64>>32
		require.EqualValues(t, math.MaxUint64%count, model.HashRows(h, int(count))[0])
	}
}

// pageGrams returns the hashes of the n-grams that end at y[p], and of the word, as section 4 of
// docs/checkpoint.md defines them.
func pageGrams(y string, p int, sizes []int, within, words bool) (hashes []uint64) {
	for _, size := range sizes {
		if size > p+1 {
			continue
		}
		gram := y[p-size+1 : p+1]
		if within && size > 2 && strings.Contains(gram[1:size-1], " ") {
			continue
		}
		hashes = append(hashes, model.HashGram([]byte(gram)))
	}
	if words && y[p] != ' ' && y[p+1] == ' ' {
		word := y[strings.LastIndexByte(y[:p], ' ')+1 : p+1]
		hashes = append(hashes, model.HashWord([]byte(word)))
	}
	return hashes
}

// Texts of every length around those that are read in several blocks.
func TestNGramsAreThoseOfThePage(t *testing.T) {
	random := rand.New(rand.NewPCG(62, 1))
	var buffer []byte
	var scratch model.Scratch
	for length := 1; length < 140; length++ {
		for range 4 {
			text := make([]byte, length)
			for i := range text {
				text[i] = "  abcdé"[random.IntN(8)]
			}
			var sizes []int
			for size := 1; size <= 8; size++ {
				if random.IntN(2) == 0 {
					sizes = append(sizes, size)
				}
			}
			if sizes == nil {
				sizes = []int{5}
			}
			within, y := random.IntN(2) == 0, " "+string(text)+" "
			g := model.Grams{Sizes: sizes, Hashes: 1 + random.IntN(4), Buckets: 1 + random.IntN(1000), Words: random.IntN(2) == 0, Within: within}
			wantRows, wantEnds := []uint32{7}, []int{1}
			for p := 1; p <= length+1; p++ {
				for _, h := range pageGrams(y, p, sizes, within, g.Words) {
					rows := model.HashRows(h, g.Buckets)
					for _, row := range rows[:g.Hashes] {
						wantRows = append(wantRows, uint32(row))
					}
				}
				if p <= length {
					wantEnds = append(wantEnds, len(wantRows))
				}
				wantEnds[len(wantEnds)-1] = len(wantRows)
			}
			rows, ends := g.AppendRows([]uint32{7}, []int{1}, text, &buffer)
			require.Equal(t, wantRows, rows, "%q, %+v", text, g)
			require.Equal(t, wantEnds, ends, "%q, %+v", text, g)

			l := model.Lexical{Sizes: sizes, Buckets: 50, Within: within, Columns: 128, Share: 0.5}
			weights, want := make([]float32, l.Buckets), make([]float64, l.Columns)
			for i := range weights {
				weights[i] = random.Float32()
			}
			weights[3] = 0
			for p := 1; p <= length+1; p++ {
				for _, h := range pageGrams(y, p, sizes, within, false) {
					weight := float64(weights[model.HashRows(h, l.Buckets)[0]])
					for c := range want {
						sign := float64(kernel.Signs(h, c/64)>>(c%64)&1)*2 - 1
						want[c] += sign * weight
					}
				}
			}
			lane := make([]float32, l.Columns)
			l.Lane(&scratch, lane, weights, text)
			require.InDeltaSlice(t, want, lane, 1e-3, "%q, %+v", text, l)
		}
	}
}
