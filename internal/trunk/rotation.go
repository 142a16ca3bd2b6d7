package trunk

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// rotation holds the cosines and sines of rotary positions. They are computed when a text first has
// that many positions, and never for a whole context, which a small file may claim to be huge. Any
// number of goroutines may use one.
type rotation struct {
	pairs int
	base  float64

	growing sync.Mutex
	angles  atomic.Pointer[angles]
}

// angles are those of positions 0 … n−1, row-major, one column for each pair.
type angles struct {
	cos, sin []float32
}

// upTo returns the angles of at least positions positions.
func (r *rotation) upTo(positions int) *angles {
	if t := r.angles.Load(); t != nil && len(t.cos) >= positions*r.pairs {
		return t
	}
	r.growing.Lock()
	defer r.growing.Unlock()
	have := 0
	old := r.angles.Load()
	if old != nil {
		if have = len(old.cos) / r.pairs; have >= positions {
			return old
		}
	}
	// Doubling keeps the work linear for texts that become longer one by one.
	size := max(positions, 2*have, 64)
	grown := &angles{cos: make([]float32, size*r.pairs), sin: make([]float32, size*r.pairs)}
	if old != nil {
		copy(grown.cos, old.cos)
		copy(grown.sin, old.sin)
	}
	for t := range r.pairs {
		step := math.Pow(r.base, -float64(t)/float64(r.pairs))
		for i := have; i < size; i++ {
			sin, cos := math.Sincos(float64(i) * step)
			grown.cos[i*r.pairs+t], grown.sin[i*r.pairs+t] = float32(cos), float32(sin)
		}
	}
	r.angles.Store(grown)
	return grown
}

// at returns the cosines and sines of position i.
func (t *angles) at(i, pairs int) (cos, sin []float32) {
	return t.cos[i*pairs : (i+1)*pairs], t.sin[i*pairs : (i+1)*pairs]
}

// rotate rotates every head of count rows of a width, at positions from first on.
func (r *rotation) rotate(x []float32, stride, width, first, count int) {
	angles := r.upTo(first + count)
	for i := range count {
		cos, sin := angles.at(first+i, r.pairs)
		for row := x[i*stride:][:width]; len(row) > 0; row = row[2*r.pairs:] {
			kernel.Rotate(row[:2*r.pairs], cos, sin)
		}
	}
}
