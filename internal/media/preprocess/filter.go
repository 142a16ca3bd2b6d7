package preprocess

import "math"

// Filter is how a picture is resized, numbered as Pillow and preprocessor_config.json do.
type Filter int

const (
	Nearest Filter = iota
	Lanczos
	Bilinear
	Bicubic
	Box
	Hamming
)

// Filters is the number of filters.
const Filters = 6

// support returns the radius of the filter, in steps of the coarser of the two grids.
func (f Filter) support() float64 {
	return [Filters]float64{Lanczos: 3, Bilinear: 1, Bicubic: 2, Box: 0.5, Hamming: 1}[f]
}

// at returns the filter's value. Each product is rounded by itself: fused ones round differently,
// and then so do some bytes.
func (f Filter) at(x float64) float64 {
	switch f {
	case Box:
		if x > -0.5 && x <= 0.5 {
			return 1
		}
		return 0
	case Lanczos:
		if -3 <= x && x < 3 {
			return sinc(x) * sinc(x/3)
		}
		return 0
	}
	x = math.Abs(x)
	switch {
	case f == Bilinear && x < 1:
		return 1 - x
	case f == Hamming && x == 0:
		return 1
	case f == Hamming && x < 1:
		x *= math.Pi
		// The constants of Pillow have 32 bits.
		const raised, cosine = float32(0.54), float32(0.46)
		return math.Sin(x) / x * (float64(raised) + float64(float64(cosine)*math.Cos(x)))
	case f == Bicubic && x < 1:
		return float64((float64(1.5*x)-2.5)*x*x) + 1
	case f == Bicubic && x < 2:
		return (float64((float64((x-5)*x)+8)*x) - 4) * -0.5
	}
	return 0
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	x *= math.Pi
	return math.Sin(x) / x
}
