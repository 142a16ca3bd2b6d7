package preprocess

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// axis maps an axis of a picture to one of a size.
type axis struct {
	filter       Filter
	length, size int
}

// window returns the pixels of the picture, from first to before last, that pixel o of the result
// is made of.
func (a *axis) window(o int) (first, last int) {
	center, support := a.center(o), float64(a.filter.support()*max(a.scale(), 1))
	return max(int(center-support+0.5), 0), min(int(center+support+0.5), a.length)
}

// scale is the number of the picture's pixels per pixel of the result. Pillow keeps lengths in 32
// bits.
func (a *axis) scale() float64 { return float64(float32(a.length)) / float64(a.size) }

// center returns where the middle of pixel o of the result is in the picture. The product is
// rounded before anything is added to it, which conversions make sure of: some processors would
// not.
func (a *axis) center(o int) float64 { return float64((float64(o) + 0.5) * a.scale()) }

// weights appends the weights of pixel o's window to kept. They have as many bits as leave eight
// for a byte, and two for sums outside of it, since some are negative. shares is memory to work
// with.
func (a *axis) weights(kept []int32, shares *[]float64, o int) []int32 {
	center, inverse := a.center(o), 1/max(a.scale(), 1)
	first, last := a.window(o)
	weights, sum := (*shares)[:0], 0.0
	for i := range last - first {
		w := a.filter.at((float64(i+first) - center + 0.5) * inverse)
		weights = append(weights, w)
		sum += w
	}
	for _, w := range weights {
		if sum != 0 {
			w /= sum
		}
		w *= 1 << kernel.WeightBits
		kept = append(kept, int32(w+math.Copysign(0.5, w)))
	}
	*shares = weights
	return kept
}

// nearest returns the pixels of the picture that some pixels of the result are, from first on. The
// positions are summed, not multiplied, because Pillow's are; far beyond what fits into its memory,
// that would only take time.
func (a *axis) nearest(at []int, first int) {
	scale := a.scale()
	position := scale * 0.5
	if first < 1<<24 {
		for range first {
			position += scale
		}
	} else {
		position += float64(float64(first) * scale)
	}
	for i := range at {
		at[i] = min(int(position), a.length-1)
		position += scale
	}
}
