package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// The shapes cross every edge of the layout: panels of 16 outputs, blocks of 384 inputs, blocks of
// 96 rows, tiles of four, six, twelve and 24 rows.
var (
	outputSizes = []int{1, 2, 15, 16, 17, 33, 64}
	inputSizes  = []int{1, 2, 3, 7, 383, 384, 385, 800}
	rowSizes    = []int{1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 49, 95, 96, 97, 100}
)

func randomFloats(random *rand.Rand, count int) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	return values
}

func rowsOf(w []float32, inputs int) func(int, []float32) {
	return func(output int, dst []float32) { copy(dst, w[output*inputs:(output+1)*inputs]) }
}

// product64 returns x·Wᵀ and the sum of absolute products of each element, in 64 bits.
func product64(x, w []float32, rows, outputs, inputs int) (sums, scales []float64) {
	sums, scales = make([]float64, rows*outputs), make([]float64, rows*outputs)
	for i := range rows {
		for j := range outputs {
			for p := range inputs {
				product := float64(x[i*inputs+p]) * float64(w[j*inputs+p])
				sums[i*outputs+j] += product
				scales[i*outputs+j] += math.Abs(product)
			}
		}
	}
	return sums, scales
}

// requireProduct requires of each element the bound of a sum in one order: (inputs + 2) roundings
// of half an ulp each.
func requireProduct(t *testing.T, got []float32, sums, scales []float64, inputs int) {
	t.Helper()
	for i, sum := range sums {
		requireWithin(t, sum, got[i], scales[i]*float64(inputs+2)*0x1p-24, "element %d", i)
	}
}

// requireWithin is require.InDelta for long loops: it is fast if values are right, which matters on
// an emulated processor.
func requireWithin(t *testing.T, want float64, got float32, bound float64, format string, arguments ...any) {
	if difference := math.Abs(want - float64(got)); !(difference <= bound) {
		t.Helper()
		require.InDelta(t, want, float64(got), bound, append([]any{format}, arguments...)...)
	}
}

func TestProductEqualsPlainSums(t *testing.T) { eachPath(t, testProductEqualsPlainSums) }

func testProductEqualsPlainSums(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, outputs := range outputSizes {
		for _, inputs := range inputSizes {
			w := randomFloats(random, outputs*inputs)
			rounded := make([]float32, len(w))
			for i, v := range w {
				rounded[i] = kernel.WidenBF16(kernel.BF16(v))
			}
			full, half := kernel.PackF32(outputs, inputs, rowsOf(w, inputs)), kernel.PackBF16(outputs, inputs, rowsOf(w, inputs))
			require.Equal(t, outputs, full.Outputs())
			require.Equal(t, inputs, full.Inputs())
			require.Equal(t, full.Bytes(), 2*half.Bytes())
			for _, rows := range []int{1, 3, 5, 97} {
				x := randomFloats(random, rows*inputs)
				got := make([]float32, rows*outputs)
				full.Product(got, outputs, x, inputs, rows)
				sums, scales := product64(x, w, rows, outputs, inputs)
				requireProduct(t, got, sums, scales, inputs)
				half.Product(got, outputs, x, inputs, rows)
				sums, scales = product64(x, rounded, rows, outputs, inputs)
				requireProduct(t, got, sums, scales, inputs)
			}
		}
	}
}

func TestProductHasTheSameBitsForAnyNumberOfRows(t *testing.T) {
	eachPath(t, testProductHasTheSameBitsForAnyNumberOfRows)
}

func testProductHasTheSameBitsForAnyNumberOfRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const outputs, inputs, most = 37, 801, 100
	w, x := randomFloats(random, outputs*inputs), randomFloats(random, most*inputs)
	for name, packed := range map[string]*kernel.Packed{
		"f32":  kernel.PackF32(outputs, inputs, rowsOf(w, inputs)),
		"bf16": kernel.PackBF16(outputs, inputs, rowsOf(w, inputs)),
	} {
		t.Run(name, func(t *testing.T) {
			alone := make([]float32, most*outputs)
			for i := range most {
				packed.Product(alone[i*outputs:], outputs, x[i*inputs:], inputs, 1)
			}
			for _, rows := range rowSizes {
				for _, first := range []int{0, most - rows} {
					got := make([]float32, rows*outputs)
					packed.Product(got, outputs, x[first*inputs:], inputs, rows)
					require.Equal(t, alone[first*outputs:(first+rows)*outputs], got, "%d rows from %d", rows, first)
				}
			}
		})
	}
}

func TestProductAddAddsToWhatIsThere(t *testing.T) { eachPath(t, testProductAddAddsToWhatIsThere) }

func testProductAddAddsToWhatIsThere(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, inputs := range []int{3, 500} {
		const outputs, rows = 19, 6
		w, x, start := randomFloats(random, outputs*inputs), randomFloats(random, rows*inputs), randomFloats(random, rows*outputs)
		for _, packed := range []*kernel.Packed{
			kernel.PackF32(outputs, inputs, rowsOf(w, inputs)), kernel.PackBF16(outputs, inputs, rowsOf(w, inputs)),
		} {
			product, got := make([]float32, rows*outputs), append([]float32{}, start...)
			packed.Product(product, outputs, x, inputs, rows)
			packed.ProductAdd(got, outputs, x, inputs, rows)
			for i := range got {
				require.InDelta(t, float64(start[i])+float64(product[i]), float64(got[i]), 1e-4)
			}
			alone := append([]float32{}, start...)
			for i := range rows {
				packed.ProductAdd(alone[i*outputs:], outputs, x[i*inputs:], inputs, 1)
			}
			require.Equal(t, alone, got)
		}
	}
}

// Strides leave gaps between rows, which are neither read nor written.
func TestProductKeepsToItsColumns(t *testing.T) { eachPath(t, testProductKeepsToItsColumns) }

func testProductKeepsToItsColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const outputs, inputs, rows, dstStride, xStride = 18, 21, 9, 25, 30
	w := randomFloats(random, outputs*inputs)
	dense := randomFloats(random, rows*inputs)
	x := make([]float32, rows*xStride)
	for i := range x {
		x[i] = float32(math.NaN())
	}
	for i := range rows {
		copy(x[i*xStride:], dense[i*inputs:(i+1)*inputs])
	}
	packed := kernel.PackF32(outputs, inputs, rowsOf(w, inputs))
	want, got := make([]float32, rows*outputs), make([]float32, rows*dstStride)
	for i := range got {
		got[i] = -7
	}
	packed.Product(want, outputs, dense, inputs, rows)
	packed.Product(got, dstStride, x, xStride, rows)
	for i := range rows {
		require.Equal(t, want[i*outputs:(i+1)*outputs], got[i*dstStride:i*dstStride+outputs])
		for _, v := range got[i*dstStride+outputs : (i+1)*dstStride] {
			require.Equal(t, float32(-7), v)
		}
	}
}

func TestRepackingEqualsPacking(t *testing.T) { eachPath(t, testRepackingEqualsPacking) }

func testRepackingEqualsPacking(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var rows, columns kernel.Packed
	for _, outputs := range outputSizes {
		for _, inputs := range inputSizes {
			t.Run(fmt.Sprintf("%dx%d", outputs, inputs), func(t *testing.T) {
				stride := inputs + 3
				w, transposed := randomFloats(random, outputs*stride), make([]float32, inputs*(outputs+5))
				for j := range outputs {
					for p := range inputs {
						transposed[p*(outputs+5)+j] = w[j*stride+p]
					}
				}
				packed := kernel.PackF32(outputs, inputs, func(output int, dst []float32) { copy(dst, w[output*stride:]) })
				rows.Rows(w, stride, outputs, inputs)
				columns.Columns(transposed, outputs+5, outputs, inputs)
				x := randomFloats(random, 5*inputs)
				want, got := make([]float32, 5*outputs), make([]float32, 5*outputs)
				packed.Product(want, outputs, x, inputs, 5)
				rows.Product(got, outputs, x, inputs, 5)
				require.Equal(t, want, got)
				columns.Product(got, outputs, x, inputs, 5)
				require.Equal(t, want, got)
			})
		}
	}
	w, x, dst := randomFloats(random, 64*64), randomFloats(random, 8*64), make([]float32, 8*64)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		rows.Rows(w, 64, 64, 64)
		columns.Columns(w, 64, 64, 64)
		rows.Product(dst, 64, x, 64, 8)
	}), "memory that suffices is reused")
}

func TestProductOfAnEmptyMatrix(t *testing.T) { eachPath(t, testProductOfAnEmptyMatrix) }

func testProductOfAnEmptyMatrix(t *testing.T) {
	var packed kernel.Packed
	packed.Product(nil, 0, nil, 0, 4)
	packed.Rows(nil, 0, 3, 0)
	got := []float32{1, 2, 3, 4, 5, 6}
	packed.ProductAdd(got, 3, nil, 0, 2)
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, got)
	packed.Product(got, 3, nil, 0, 2)
	require.Equal(t, make([]float32, 6), got)
	require.Zero(t, packed.Bytes())
}

func BenchmarkProduct(b *testing.B) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, rows := range []int{1, 4, 96, 512} {
		for _, kind := range []string{"f32", "bf16"} {
			b.Run(fmt.Sprintf("%s/%d", kind, rows), func(b *testing.B) {
				const outputs, inputs = 384, 384
				w, x, dst := randomFloats(random, outputs*inputs), randomFloats(random, rows*inputs), make([]float32, rows*outputs)
				packed := kernel.PackF32(outputs, inputs, rowsOf(w, inputs))
				if kind == "bf16" {
					packed = kernel.PackBF16(outputs, inputs, rowsOf(w, inputs))
				}
				for b.Loop() {
					packed.Product(dst, outputs, x, inputs, rows)
				}
				b.ReportMetric(2*outputs*inputs*float64(rows*b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}

func TestIgnoredInputs(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	for _, inputs := range []int{1, 5, 384, 385, 800} {
		for _, zero := range []int{0, 1, inputs / 2, inputs} {
			for _, pack := range []func(int, int, func(int, []float32)) *kernel.Packed{kernel.PackF32, kernel.PackBF16} {
				const outputs = 19
				packed := pack(outputs, inputs, func(_ int, dst []float32) {
					copy(dst, randomFloats(random, inputs))
					clear(dst[:min(zero, inputs)])
				})
				for count := range inputs + 1 {
					require.Equal(t, count <= zero, packed.Ignores(count), "%d inputs, the first %d zero, %d asked", inputs, zero, count)
				}
			}
		}
	}
}
