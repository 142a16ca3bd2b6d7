package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

func TestRMSNorm(t *testing.T) { eachPath(t, testRMSNorm) }

func testRMSNorm(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for _, n := range lengths {
		for _, magnitude := range []float64{1e-30, 1e-3, 1, 1e30} {
			x, gain := randomFloats(random, n), randomFloats(random, n)
			var squares float64
			for i := range x {
				x[i] = float32(float64(x[i]) * magnitude)
				squares += float64(x[i]) * float64(x[i])
			}
			root := math.Sqrt(squares/float64(n) + 1e-6)
			got := make([]float32, n)
			kernel.RMSNorm(got, x, gain, 1e-6)
			for i := range x {
				want := float64(x[i]) / root * float64(gain[i])
				requireWithin(t, want, got[i], 3*ulp(want), "element %d", i)
			}
			kernel.RMSNorm(x, x, gain, 1e-6)
			require.Equal(t, got, x, "in place")
		}
	}
}

func TestLayerNorm(t *testing.T) { eachPath(t, testLayerNorm) }

func testLayerNorm(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	for _, n := range append(lengths, upTo(40)...) {
		for _, row := range []struct {
			name              string
			magnitude, offset float64
			epsilon           float64
		}{
			{"unit", 1, 0, 1e-5}, {"tiny", 1e-30, 0, 1e-12}, {"huge", 1e30, 0, 1e-5}, {"far from zero", 1e-2, 1e3, 1e-12},
		} {
			x, gain, bias := randomFloats(random, n), randomFloats(random, n), randomFloats(random, n)
			var mean, variance float64
			for i := range x {
				x[i] = float32(float64(x[i])*row.magnitude + row.offset)
				mean += float64(x[i]) / float64(n)
			}
			for i := range x {
				variance += (float64(x[i]) - mean) * (float64(x[i]) - mean) / float64(n)
			}
			root := math.Sqrt(variance + row.epsilon)
			for _, given := range [][2][]float32{{gain, bias}, {gain, nil}, {nil, bias}, {nil, nil}} {
				got := make([]float32, n)
				kernel.LayerNorm(got, x, given[0], given[1], row.epsilon)
				for i := range x {
					scaled, shift := (float64(x[i])-mean)/root, 0.0
					if given[0] != nil {
						scaled *= float64(gain[i])
					}
					if given[1] != nil {
						shift = float64(bias[i])
					}
					requireWithin(t, scaled+shift, got[i], 4*ulp(math.Abs(scaled)+math.Abs(shift)), "%s, element %d of %d", row.name, i, n)
				}
				inPlace := append([]float32{}, x...)
				kernel.LayerNorm(inPlace, inPlace, given[0], given[1], row.epsilon)
				require.Equal(t, got, inPlace, "in place")
			}
		}
	}
}

// A row of equal scalars has no variance: its norm is the bias.
func TestLayerNormOfAConstant(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, n := range upTo(40) {
			x, bias := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i], bias[i] = 1e6, float32(i)
			}
			kernel.LayerNorm(x, x, nil, bias, 1e-5)
			require.Equal(t, bias, x)
		}
	})
}

func TestLayerNormHasTheSameBitsAnywhere(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(4, 3))
		for n := 1; n <= 40; n++ {
			x, gain, bias := randomFloats(random, n), randomFloats(random, n), randomFloats(random, n)
			want := make([]float32, n)
			kernel.LayerNorm(want, x, gain, bias, 1e-5)
			for at := range 17 {
				there := append(randomFloats(random, at), x...)
				kernel.LayerNorm(there[at:], there[at:], gain, bias, 1e-5)
				require.Equal(t, want, there[at:], "%d scalars, at %d", n, at)
			}
		}
	})
}

// upTo returns 0 to n.
func upTo(n int) (all []int) {
	for i := range n + 1 {
		all = append(all, i)
	}
	return all
}
