package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// The last length needs more than one call of assembly.
var lengths = []int{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 63, 64, 65, 255, 1000, 8213}

// ulp returns half the distance between floats near v: the error of one rounding.
func ulp(v float64) float64 { return math.Max(math.Abs(v), 0x1p-126) * 0x1p-24 }

func TestDot(t *testing.T) { eachPath(t, testDot) }

func testDot(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range lengths {
		x, y := randomFloats(random, n), randomFloats(random, n)
		var sum, scale float64
		for i := range x {
			sum += float64(x[i]) * float64(y[i])
			scale += math.Abs(float64(x[i]) * float64(y[i]))
		}
		require.InDelta(t, sum, float64(kernel.Dot(x, y)), scale*float64(n+1)*0x1p-24, "length %d", n)
	}
}

func TestAdditions(t *testing.T) { eachPath(t, testAdditions) }

func testAdditions(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for _, n := range lengths {
		start, x := randomFloats(random, n), randomFloats(random, n)
		halves, bytes, nibbles := make([]uint16, n), make([]byte, n), make([]byte, (n+1)/2)
		kernel.ToBF16(halves, x)
		halfFloats := make([]uint16, n)
		kernel.ToF16(halfFloats, x)
		for i := range bytes {
			bytes[i] = byte(random.Uint32())
		}
		for i := range nibbles {
			nibbles[i] = byte(random.Uint32())
		}
		const scale = float32(0.037)
		for _, addition := range []struct {
			name string
			add  func(dst []float32)
			term func(i int) float64
		}{
			{"f32", func(dst []float32) { kernel.Add(dst, x) }, func(i int) float64 { return float64(x[i]) }},
			{"product", func(dst []float32) { kernel.Multiply(dst, x) },
				func(i int) float64 { return float64(start[i]) * (float64(x[i]) - 1) }},
			{"f16", func(dst []float32) { kernel.AddF16(dst, halfFloats) },
				func(i int) float64 { return value16(halfFloats[i], 5, 10) }},
			{"bf16", func(dst []float32) { kernel.AddBF16(dst, halves) },
				func(i int) float64 { return float64(math.Float32frombits(uint32(halves[i]) << 16)) }},
			{"int8", func(dst []float32) { kernel.AddInt8(dst, bytes, scale) },
				func(i int) float64 { return float64(int8(bytes[i])) * float64(scale) }},
			{"int4", func(dst []float32) { kernel.AddInt4(dst, nibbles, scale) },
				func(i int) float64 { return (float64(nibbles[i/2]>>(i%2*4)&15) - 8) * float64(scale) }},
		} {
			t.Run(fmt.Sprintf("%s/%d", addition.name, n), func(t *testing.T) {
				got := append([]float32{}, start...)
				addition.add(got)
				for i := range got {
					want := float64(start[i]) + addition.term(i)
					requireWithin(t, want, got[i], 2*ulp(math.Abs(float64(start[i]))+math.Abs(addition.term(i))), "element %d", i)
				}
			})
		}
	}
}

func TestBroadcast(t *testing.T) {
	dst := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	kernel.Broadcast(dst, 3, 3, []float32{10, 11})
	require.Equal(t, []float32{10, 11, 3, 10, 11, 6, 10, 11}, dst)
	kernel.Broadcast(dst, 3, 0, []float32{0, 0})
	require.Equal(t, float32(10), dst[0], "no rows")
	require.Panics(t, func() { kernel.Broadcast(make([]float32, 7), 3, 3, []float32{1, 2}) })
}

func TestRotate(t *testing.T) { eachPath(t, testRotate) }

func testRotate(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	for _, n := range lengths {
		x := randomFloats(random, 2*n)
		cos, sin, angles := make([]float32, n), make([]float32, n), make([]float64, n)
		for i := range n {
			angles[i] = random.Float64() * 100
			cos[i], sin[i] = float32(math.Cos(angles[i])), float32(math.Sin(angles[i]))
		}
		got := append([]float32{}, x...)
		kernel.Rotate(got, cos, sin)
		for i := range n {
			turned := complex(float64(x[i]), float64(x[n+i])) * complex(math.Cos(angles[i]), math.Sin(angles[i]))
			size := math.Hypot(float64(x[i]), float64(x[n+i]))
			requireWithin(t, real(turned), got[i], 6*ulp(size), "pair %d", i)
			requireWithin(t, imag(turned), got[n+i], 6*ulp(size), "pair %d", i)
		}
	}
}

func TestSoftmax(t *testing.T) { eachPath(t, testSoftmax) }

func testSoftmax(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	for _, n := range lengths {
		for _, spread := range []float64{0, 1, 30, 1000} {
			x := randomFloats(random, n)
			for i := range x {
				x[i] = float32(float64(x[i]) * spread)
			}
			const scale = 0.125
			largest := math.Inf(-1)
			for _, v := range x {
				largest = math.Max(largest, float64(v))
			}
			want, sum := make([]float64, n), 0.0
			for i, v := range x {
				want[i] = math.Exp((float64(v) - largest) * scale)
				sum += want[i]
			}
			kernel.Softmax(x, scale)
			for i := range x {
				// The rounding of the exponent, up to 87 where it matters, dominates.
				requireWithin(t, want[i]/sum, x[i], want[i]/sum*1e-5+1e-37, "length %d, spread %v", n, spread)
			}
		}
	}
}

func TestSoftmaxOfExtremes(t *testing.T) { eachPath(t, testSoftmaxOfExtremes) }

func testSoftmaxOfExtremes(t *testing.T) {
	x := []float32{math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32, float32(math.Inf(-1))}
	kernel.Softmax(x, 1)
	require.Equal(t, []float32{0.5, 0, 0.5, 0}, x)
}

// A softmax of a row shows the exponential: the weights are e⁰ and eˣ over their sum.
func TestExponentialToTwoTenMillionths(t *testing.T) { eachPath(t, testExponentialToTwoTenMillionths) }

func testExponentialToTwoTenMillionths(t *testing.T) {
	for v := -87.0; v <= 0; v += 0.001 {
		x := []float32{0, float32(v)}
		exact := math.Exp(float64(x[1]))
		kernel.Softmax(x, 1)
		requireWithin(t, exact/(1+exact), x[1], exact/(1+exact)*3e-7, "%v", v)
	}
}
