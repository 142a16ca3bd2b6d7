package kernel_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// rowKinds are the kinds of rows, with how one scalar is stored and what it is then worth.
var rowKinds = []struct {
	name  string
	width int
	dots  func(dst []float32, rows []byte, query []float32)
	put   func(rows []byte, v float32) (stored float64)
}{
	{"f32", 4, kernel.DotsF32, func(rows []byte, v float32) float64 {
		binary.LittleEndian.PutUint32(rows, math.Float32bits(v))
		return float64(v)
	}},
	{"f16", 2, kernel.DotsF16, func(rows []byte, v float32) float64 {
		h := kernel.F16(v)
		binary.LittleEndian.PutUint16(rows, h)
		return float64(kernel.WidenF16(h))
	}},
	{"i8", 1, kernel.DotsI8, func(rows []byte, v float32) float64 {
		i := kernel.Int8(v)
		rows[0] = byte(i)
		return float64(i)
	}},
}

func TestDotsAreThoseOfAPlainLoop(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(51, 1))
		for _, kind := range rowKinds {
			for _, columns := range []int{0, 1, 3, 4, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 100, 384, 9001} {
				for _, count := range []int{0, 1, 2, 3, 4, 5, 7, 8, 21} {
					query, values := randomFloats(random, columns), randomFloats(random, columns*count)
					for i := range values {
						if i%7 == 0 {
							values[i] *= 0x1p-20 // a subnormal half
						}
					}
					rows, got := make([]byte, kind.width*len(values)), make([]float32, count)
					want, scale := make([]float64, count), make([]float64, count)
					for i, v := range values {
						product := float64(query[i%columns]) * kind.put(rows[kind.width*i:], v)
						want[i/columns] += product
						scale[i/columns] += math.Abs(product)
					}
					kind.dots(got, rows, query)
					for i := range got {
						require.InDelta(t, want[i], float64(got[i]), scale[i]*float64(columns+2)*0x1p-24,
							"%s, row %d of %d × %d", kind.name, i, count, columns)
						var alone [1]float32
						kind.dots(alone[:], rows[i*kind.width*columns:], query)
						require.Equal(t, alone[0], got[i], "a row alone and among others")
					}
				}
			}
		}
	})
}

func TestDotsOfShortRowsPanic(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, kind := range rowKinds {
			rows := make([]byte, 5*17*kind.width)
			require.NotPanics(t, func() { kind.dots(make([]float32, 5), rows, make([]float32, 17)) })
			require.Panics(t, func() { kind.dots(make([]float32, 5), rows[:len(rows)-1:len(rows)-1], make([]float32, 17)) })
		}
	})
}

func BenchmarkDots(b *testing.B) {
	random := rand.New(rand.NewPCG(52, 1))
	const columns, count = 384, 80 // which stays in the second cache
	query, dst := randomFloats(random, columns), make([]float32, count)
	for _, kind := range rowKinds {
		rows := make([]byte, kind.width*columns*count)
		for i := range columns * count {
			kind.put(rows[kind.width*i:], float32(random.NormFloat64()))
		}
		for _, path := range kernel.Paths() {
			b.Run(fmt.Sprintf("%s/%s", kind.name, path), func(b *testing.B) {
				defer kernel.Force(path)()
				b.SetBytes(int64(len(rows)))
				for b.Loop() {
					kind.dots(dst, rows, query)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/row")
			})
		}
	}
}
