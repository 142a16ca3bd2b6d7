package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// A row that is zero except at its ends shows what a quantized row stands for: x is within half a
// step of it.
func TestProductOfBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 1))
	for _, outputs := range []int{1, 15, 16, 31, 32, 33, 48, 80} {
		for _, inputs := range []int{1, 3, 4, 5, 383, 384, 385, 800} {
			w := randomFloats(random, outputs*inputs)
			const rows = 27
			x := randomFloats(random, rows*(inputs+3))
			clear(x[4*(inputs+3) : 5*(inputs+3)])
			sums, scales := make([]float64, rows*outputs), make([]float64, rows*outputs)
			for i := range rows {
				row := x[i*(inputs+3):][:inputs]
				low, high := 0.0, 0.0
				for _, v := range row {
					low, high = min(low, float64(v)), max(high, float64(v))
				}
				for j := range outputs {
					largest := 0.0
					for _, v := range w[j*inputs:][:inputs] {
						largest = max(largest, math.Abs(float64(v)))
					}
					for p, v := range row {
						weight := float64(w[j*inputs+p])
						sums[i*outputs+j] += float64(v) * weight
						// Half a step of each, the rounding of the zero, and the product of both.
						scales[i*outputs+j] += (high-low)/127*(math.Abs(weight)+largest/254) + largest/254*math.Abs(float64(v))
					}
				}
			}
			packed := kernel.PackInt8(outputs, inputs, rowsOf(w, inputs))
			require.Equal(t, outputs, packed.Outputs())
			require.Equal(t, inputs, packed.Inputs())
			require.Positive(t, packed.Bytes())
			var first []float32
			for _, path := range kernel.Paths() {
				restore := kernel.Force(path)
				var bytes kernel.Bytes
				bytes.Quantize(x, inputs+3, rows, inputs)
				require.Positive(t, bytes.Bytes())
				got := make([]float32, rows*(outputs+2))
				for i := range got {
					got[i] = -7
				}
				packed.Product(got, outputs+2, &bytes, rows)
				for i := range rows {
					for j, v := range got[i*(outputs+2):][:outputs] {
						requireWithin(t, sums[i*outputs+j], v, scales[i*outputs+j]*1.001+1e-6, "%s: %d by %d, row %d, output %d", path, outputs, inputs, i, j)
					}
					require.Equal(t, []float32{-7, -7}, got[i*(outputs+2)+outputs:][:2])
				}
				require.Equal(t, make([]float32, outputs), got[4*(outputs+2):][:outputs], "a row of zeroes")
				if first == nil {
					first = got
				}
				require.Equal(t, first, got, "%s has the bits of the best path", path)
				alone := make([]float32, outputs)
				for i := range rows {
					bytes.Quantize(x[i*(inputs+3):], inputs+3, 1, inputs)
					packed.Product(alone, outputs, &bytes, 1)
					require.Equal(t, got[i*(outputs+2):][:outputs], alone, "a row by itself")
				}
				restore()
			}
		}
	}
}

func TestPartsOfBytesAddToTheWhole(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(52, 1))
		const outputs, inputs, rows = 400, 800, 7
		w, x := randomFloats(random, outputs*inputs), randomFloats(random, rows*inputs)
		packed := kernel.PackInt8(outputs, inputs, rowsOf(w, inputs))
		var bytes kernel.Bytes
		bytes.Quantize(x, inputs, rows, inputs)
		want, got := make([]float32, rows*outputs), make([]float32, rows*outputs)
		packed.Product(want, outputs, &bytes, rows)
		packed.ProductOutputs(got, outputs, &bytes, rows, kernel.Span{0, kernel.Depth})
		packed.ProductOutputs(got[kernel.Depth:], outputs, &bytes, rows, kernel.Span{kernel.Depth, outputs})
		require.Equal(t, want, got)
		// Parts of the inputs are rounded separately, to finer steps, so the sum is only close.
		clear(got)
		for first := 0; first < inputs; first += kernel.Depth {
			end := min(inputs, first+kernel.Depth)
			bytes.Quantize(x[first:], inputs, rows, end-first)
			packed.ProductAddInputs(got, outputs, &bytes, rows, kernel.Span{first, end})
		}
		for i := range want {
			require.InDelta(t, want[i], got[i], 3)
		}
		bytes.Quantize(x, inputs, rows, inputs)
		packed.ProductAdd(got, outputs, &bytes, rows)
		for i := range want {
			require.InDelta(t, 2*want[i], got[i], 3)
		}
		require.Zero(t, testing.AllocsPerRun(5, func() {
			bytes.Quantize(x, inputs, rows, inputs)
			packed.Product(got, outputs, &bytes, rows)
		}))
	})
}

func TestPartsOfAProductAreTheWhole(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(53, 1))
		const outputs, inputs, rows = 790, 1000, 9
		w, x, start := randomFloats(random, outputs*inputs), randomFloats(random, rows*inputs), randomFloats(random, rows*outputs)
		for _, packed := range []*kernel.Packed{
			kernel.PackF32(outputs, inputs, rowsOf(w, inputs)), kernel.PackBF16(outputs, inputs, rowsOf(w, inputs)),
		} {
			want, got := make([]float32, rows*outputs), make([]float32, rows*outputs)
			packed.Product(want, outputs, x, inputs, rows)
			for first := 0; first < outputs; first += kernel.Depth {
				packed.ProductOutputs(got[first:], outputs, x, inputs, rows, kernel.Span{first, min(outputs, first+kernel.Depth)})
			}
			require.Equal(t, want, got)
			copy(want, start)
			copy(got, start)
			packed.ProductAdd(want, outputs, x, inputs, rows)
			for first := 0; first < inputs; first += kernel.Depth {
				packed.ProductAddInputs(got, outputs, x[first:], inputs, rows, kernel.Span{first, min(inputs, first+kernel.Depth)})
			}
			require.Equal(t, want, got)
		}
	})
}

// Repacking leaves nothing of the old matrix, and gives the matrix that PackInt8 packs.
func TestRowsOfBytes(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(53, 1))
		var packed kernel.PackedBytes
		for _, shape := range [][2]int{{80, 800}, {33, 5}, {16, 64}, {1, 1}, {47, 385}, {130, 32}, {17, 8}, {20, 384}, {80, 800}} {
			outputs, inputs := shape[0], shape[1]
			w, x := randomFloats(random, outputs*(inputs+2)), randomFloats(random, 3*inputs)
			clear(w[:inputs])
			want, got := make([]float32, 3*outputs), make([]float32, 3*outputs)
			var bytes kernel.Bytes
			bytes.Quantize(x, inputs, 3, inputs)
			kernel.PackInt8(outputs, inputs, func(output int, dst []float32) { copy(dst, w[output*(inputs+2):]) }).Product(want, outputs, &bytes, 3)
			packed.Rows(w, inputs+2, outputs, inputs)
			packed.Product(got, outputs, &bytes, 3)
			require.Equal(t, want, got, "%d by %d", outputs, inputs)
		}
		large := packed.Bytes()
		weights := make([]float32, 64)
		require.Zero(t, testing.AllocsPerRun(3, func() { packed.Rows(weights, 64, 1, 64) }))
		require.Equal(t, large, packed.Bytes(), "memory is kept")
	})
}

// NaN stays NaN, and a value too small to divide by becomes zero.
func TestBytesOfExtremeWeights(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, inputs := range []int{37, 40} {
			ones := make([]float32, inputs)
			for i := range ones {
				ones[i] = 1
			}
			var x kernel.Bytes
			x.Quantize(ones, inputs, 1, inputs)
			for at := range inputs {
				product := func(weight float32) float32 {
					var got, again [1]float32
					weights := make([]float32, inputs)
					weights[inputs-1-at/2], weights[at] = weight/4, weight
					kernel.PackInt8(1, inputs, func(_ int, dst []float32) { copy(dst, weights) }).Product(got[:], 1, &x, 1)
					var packed kernel.PackedBytes
					packed.Rows(weights, inputs, 1, inputs)
					packed.Product(again[:], 1, &x, 1)
					require.Equal(t, math.IsNaN(float64(got[0])), math.IsNaN(float64(again[0])), "%v at %d", weight, at)
					if again[0] == again[0] {
						require.Equal(t, got, again, "%v at %d", weight, at)
					}
					return again[0]
				}
				require.True(t, math.IsNaN(float64(product(float32(math.NaN())))), at)
				require.True(t, math.IsNaN(float64(product(float32(math.Inf(-1))))), at)
				require.Zero(t, product(1e-42), at)
				require.InEpsilon(t, 1.25e35, product(1e35), 0.3, at)
				require.InEpsilon(t, 1.25e-36, product(1e-36), 0.3, at)

				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					ones[at] = float32(v)
					var odd kernel.Bytes
					odd.Quantize(ones, inputs, 1, inputs)
					ones[at] = 1
					var got [1]float32
					kernel.PackInt8(1, inputs, func(_ int, dst []float32) { copy(dst, ones) }).Product(got[:], 1, &odd, 1)
					require.True(t, math.IsNaN(float64(got[0])), "%v at %d", v, at)
				}
			}
		}
	})
}
