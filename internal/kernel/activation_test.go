package kernel_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// activations are the functions of one scalar, in 64 bits, and the largest error over max(1, |z|).
var activations = []struct {
	name  string
	apply func(x []float32)
	want  func(z float64) float64
	bound float64
}{
	{"SiLU", kernel.SiLU, func(z float64) float64 { return z / (1 + math.Exp(-z)) }, 1.5e-7},
	{"GELU", kernel.GELU, func(z float64) float64 { return z * math.Erfc(-z/math.Sqrt2) / 2 }, 1.5e-7},
	{"GELUTanh", kernel.GELUTanh, func(z float64) float64 {
		return z * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(z+0.044715*z*z*z))) / 2
	}, 1.5e-7},
	{"QuickGELU", kernel.QuickGELU, func(z float64) float64 { return z / (1 + math.Exp(-1.702*z)) }, 1.5e-7},
	{"ReLU", kernel.ReLU, func(z float64) float64 { return math.Max(z, 0) }, 0},
	{"Tanh", kernel.Tanh, math.Tanh, 6e-8},
}

func TestActivations(t *testing.T) { eachPath(t, testActivations) }

func testActivations(t *testing.T) {
	var x []float32
	for v := -20.0; v <= 20; v += 1. / 4096 {
		x = append(x, float32(v))
	}
	for v := -200.0; v <= 200; v += 0.01 {
		x = append(x, float32(v))
	}
	x = append(x, 0, float32(math.Copysign(0, -1)), 1e-30, -1e-30, 1e20, -1e20, math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32)
	for _, a := range activations {
		got := append([]float32{}, x...)
		a.apply(got)
		worst, at := 0.0, float32(0)
		for i, z := range x {
			missed := math.Abs(float64(got[i])-a.want(float64(z))) / math.Max(1, math.Abs(float64(z)))
			if !(missed <= worst) { // also where it is not a number
				worst, at = missed, z
			}
		}
		require.LessOrEqual(t, worst, a.bound, "%s of %v", a.name, at)
		t.Logf("%s: at most %.2g from the function, at %v", a.name, worst, at)
	}
}

func TestActivationsOfInfinitiesAndNaN(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, a := range activations {
			infinity := float32(math.Inf(1))
			x := []float32{infinity, -infinity, float32(math.NaN()), float32(math.Copysign(math.NaN(), -1))}
			a.apply(x)
			limits := []float32{infinity, 0}
			if a.name == "Tanh" {
				limits = []float32{1, -1}
			}
			require.Equal(t, limits, x[:2], a.name)
			require.True(t, x[2] != x[2] && x[3] != x[3], "%s of NaN is %v", a.name, x[2:])
		}
	})
}

// Close to zero the activations are linear, and the relative error counts.
func TestActivationsNearZero(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, a := range activations {
			for z := 0x1p-4; z > 0x1p-100; z /= 2 {
				x := []float32{float32(z), float32(-z)}
				a.apply(x)
				for i, v := range []float64{z, -z} {
					requireWithin(t, a.want(v), x[i], math.Abs(a.want(v))*5e-7, "%s of %v", a.name, v)
				}
			}
		}
	})
}
