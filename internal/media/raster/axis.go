package raster

import (
	"math"
	"slices"
)

// reach is the radius of the cubic kernel, in steps of the coarser of the two grids.
const reach = 2

// axis maps one axis of a picture to one axis of the square.
type axis struct {
	length, side int
	// scale is the number of the picture's pixels per pixel of the square. spread is the same, but
	// 1 if the square is finer.
	scale, spread float64
	// windows are the picture's pixels that each pixel of the square is made of.
	windows []window
}

// window is the pixels from first to before last. A pixel at either end may have no weight.
type window struct {
	first, last int
	// share is one over the sum of the cubic in the window.
	share float64
}

// measure prepares the axis for a picture of a length.
func (a *axis) measure(length, side int) {
	a.length, a.side = length, side
	a.scale = float64(length) / float64(side)
	a.spread = max(a.scale, 1)
	a.windows = slices.Grow(a.windows[:0], side)[:side]
	for o := range a.windows {
		z, r := a.centre(o), reach*a.spread
		w := window{first: max(int(math.Floor(z-r-0.5)), 0), last: min(int(math.Ceil(z+r-0.5))+1, length)}
		sum := 0.0
		for i := w.first; i < w.last; i++ {
			sum += a.cubic(o, i)
		}
		w.share = 1 / sum
		a.windows[o] = w
	}
}

// centre returns where the middle of pixel o of the square is in the picture.
func (a *axis) centre(o int) float64 { return (float64(o) + 0.5) * a.scale }

// weight returns the weight of pixel i of the picture in pixel o of the square. The weights of a
// window sum to one.
func (a *axis) weight(o, i int) float64 { return a.cubic(o, i) * a.windows[o].share }

// cubic returns the Catmull-Rom kernel between pixel i of the picture and pixel o of the square.
func (a *axis) cubic(o, i int) float64 {
	t := math.Abs((float64(i) + 0.5 - a.centre(o)) / a.spread)
	switch {
	case t < 1:
		return (1.5*t-2.5)*t*t + 1
	case t < 2:
		return ((-0.5*t+2.5)*t-4)*t + 2
	}
	return 0
}
