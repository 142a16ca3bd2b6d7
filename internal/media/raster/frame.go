package raster

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/media/chroma"
)

// Frame is a picture as video decoders return it, in planes of samples: bytes, or 16 bits if a
// sample has more than 8.
type Frame[T byte | uint16] struct {
	Width, Height int
	// Planes are luma and the colour differences of blue and red; luma alone; or green, blue and
	// red if RGB is set. Their rows are contiguous. Those of colour differences are Width/Across by
	// Height/Down, both rounded up. A plane that is shorter is an error of the caller, and panics.
	Planes [][]T
	// Across and Down are the pixels that a colour difference covers on each axis: 1, 2 or 4.
	Across, Down int
	// Depth is the number of bits of a sample: 8 with bytes, else 9 … 16.
	Depth int
	RGB   bool
	// Matrix is how luma and differences were computed from colours. Full reports that they have
	// the full range of their values.
	Matrix Matrix
	Full   bool
}

// Matrix is the weights of red and blue in luma.
type Matrix struct{ Red, Blue float64 }

// BT601 is the matrix of VP8, of JPEG, and of video that names none.
var BT601 = Matrix{Red: 0.299, Blue: 0.114}

// Image converts the frame. Samples of more than 8 bits keep their fractions until the final
// rounding.
func (f *Frame[T]) Image() *Image {
	im := newImage(f.Width, f.Height)
	convert := newLevels(f)
	switch {
	case f.RGB:
		half := 1 << f.Depth >> 9
		for i := range f.Width * f.Height {
			for c, plane := range [3]int{2, 0, 1} {
				im.RGB[3*i+c] = clamp((int(f.Planes[plane][i]) + half) >> (f.Depth - 8))
			}
		}
	case len(f.Planes) == 1:
		for i, v := range f.Planes[0] {
			gray := clamp(convert.luma(v) >> levelsPoint)
			im.RGB[3*i], im.RGB[3*i+1], im.RGB[3*i+2] = gray, gray, gray
		}
	default:
		luma := plane[T]{samples: f.Planes[0], stride: f.Width}
		cb := plane[T]{
			samples: f.Planes[1], across: f.Across, down: f.Down,
			columns: (f.Width + f.Across - 1) / f.Across, rows: (f.Height + f.Down - 1) / f.Down,
		}
		cb.stride = cb.columns
		cr := cb
		cr.samples = f.Planes[2]
		row := convert.row
		// The conversion is that of WebP, so that the key frames of a clip have the same bytes on
		// every decoder.
		if exact, ok := any(chroma.LimitedRange).(func(rgb []byte, y, cb, cr []T)); ok && f.Matrix == BT601 && !f.Full {
			row = exact
		}
		planes := planes[T]{luma: &luma, cb: &cb, cr: &cr}
		planes.convert(im, chroma.WebP, row)
	}
	return im
}

// levels converts luma and colour differences to colours, in steps of 2^-20 of a level of 8 bits.
type levels[T sample] struct {
	black, middle                  int // luma of black, and the difference of gray
	gain                           int // of luma
	red, greenBlue, greenRed, blue int
}

const levelsPoint = 20

func newLevels[T sample](f *Frame[T]) *levels[T] {
	deeper := f.Depth - 8
	step := func(v float64) int { return int(math.Round(math.Ldexp(v, levelsPoint-deeper))) }
	gain, difference, black := 1.0, 1.0, 0
	if !f.Full {
		gain, difference, black = 255.0/219, 255.0/224, 16
	}
	red, blue := f.Matrix.Red, f.Matrix.Blue
	green := 1 - red - blue
	return &levels[T]{
		black: black << deeper, middle: 128 << deeper, gain: step(gain),
		red: step(2 * (1 - red) * difference), blue: step(2 * (1 - blue) * difference),
		greenRed:  step(2 * (1 - red) * red / green * difference),
		greenBlue: step(2 * (1 - blue) * blue / green * difference),
	}
}

// luma returns the level of a sample, before rounding down.
func (l *levels[T]) luma(v T) int { return (int(v)-l.black)*l.gain + 1<<(levelsPoint-1) }

func (l *levels[T]) row(rgb []byte, y, cb, cr []T) {
	for i, v := range y {
		level, blue, red := l.luma(v), int(cb[i])-l.middle, int(cr[i])-l.middle
		pixel := rgb[3*i : 3*i+3 : 3*i+3]
		pixel[0] = clamp((level + l.red*red) >> levelsPoint)
		pixel[1] = clamp((level - l.greenBlue*blue - l.greenRed*red) >> levelsPoint)
		pixel[2] = clamp((level + l.blue*blue) >> levelsPoint)
	}
}
