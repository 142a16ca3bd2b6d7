package train

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// normBackward adds to dx the gradient of [kernel.RMSNorm] at x, whose result has the gradient dy,
// and to dgain, in 64 bits, that of its gain.
func normBackward(dx, dy, x, gain []float32, dgain []float64, epsilon float64) {
	inverse := 1 / math.Sqrt(float64(kernel.Dot(x, x))/float64(len(x))+epsilon)
	dy, dx, gain, dgain = dy[:len(x)], dx[:len(x)], gain[:len(x)], dgain[:len(x)]
	r := float32(inverse)
	var along float32
	for k, v := range x {
		g := dy[k] * v
		dgain[k] += float64(g * r)
		along += g * gain[k]
	}
	back := float32(float64(along) * inverse * inverse * inverse / float64(len(x)))
	for k, v := range x {
		dx[k] += dy[k]*gain[k]*r - v*back
	}
}

// gains sums the gradients of gains, part by part and in order.
type gains struct {
	width int
	sums  []float64
}

// reset makes room for parts.
func (g *gains) reset(parts, width int) {
	g.width = width
	clear(grow(&g.sums, parts*width))
}

func (g *gains) part(i int) []float64 { return g.sums[i*g.width : (i+1)*g.width] }

// addTo adds the sum over all parts to a gradient.
func (g *gains) addTo(gradient []float32) {
	for k := range gradient {
		var sum float64
		for i := k; i < len(g.sums); i += g.width {
			sum += g.sums[i]
		}
		gradient[k] += float32(sum)
	}
}

// siluBackward replaces dz, the gradient of silu's result, by that of its argument z, where y is
// the result.
func siluBackward(dz, z, y []float32) {
	z, y = z[:len(dz)], y[:len(dz)]
	for i, d := range dz {
		sigma := float32(0.5) + z[i]/4 // exact to 1e-11 where z is that small
		if z[i] > 1e-3 || z[i] < -1e-3 {
			sigma = y[i] / z[i]
		}
		dz[i] = d * (sigma + y[i]*(1-sigma))
	}
}
