package preprocess

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// Preprocessing is what becomes of a picture before a model reads it.
type Preprocessing struct {
	// Short is the shorter side after resizing; the other keeps the shape. If it is 0, the picture
	// becomes Width by Height, whatever its shape. If those are 0 too, it keeps its size.
	Short, Width, Height int
	Filter               Filter
	// Side is that of the square that is cut from the middle of the resized picture. What it lacks
	// there is black.
	Side int
	// Even rounds the corner of the square to even numbers where it lies between two pixels, as
	// torchvision does. Otherwise it is the pixel before, as in the Transformers library.
	Even bool
	// Scale multiplies bytes, then Mean is subtracted, and Deviation divides: of red, green, blue.
	Scale           float64
	Mean, Deviation [3]float32
	// Patch is the side of a patch. Pixels past the last whole patch are left out.
	Patch int
}

// Count returns the number of patches of a picture.
func (p *Preprocessing) Count() int { return p.Side / p.Patch * (p.Side / p.Patch) }

// Size returns the number of scalars of a patch.
func (p *Preprocessing) Size() int { return 3 * p.Patch * p.Patch }

// Patches writes the patches of a picture to dst, [Count][Size]: rows of patches from the top, each
// from the left, and within a patch by channel, row and column, as the weights of a convolution
// lie. A picture without pixels is black.
func (p *Preprocessing) Patches(r *Resizer, dst []float32, im *raster.Image) {
	square := make([]byte, p.Side*p.Side*3)
	p.Square(r, square, im)
	var values [3][256]float32
	for c := range values {
		for v := range values[c] {
			values[c][v] = (float32(float64(v)*p.Scale) - p.Mean[c]) / p.Deviation[c]
		}
	}
	plane := p.Patch * p.Patch
	whole := p.Side - p.Side%p.Patch
	for top := 0; top < whole; top += p.Patch {
		for left := 0; left < whole; left += p.Patch {
			patch := dst[:3*plane]
			dst = dst[3*plane:]
			for y := range p.Patch {
				row := square[((top+y)*p.Side+left)*3:][:p.Patch*3]
				for x := range p.Patch {
					at := y*p.Patch + x
					patch[at] = values[0][row[x*3]]
					patch[plane+at] = values[1][row[x*3+1]]
					patch[2*plane+at] = values[2][row[x*3+2]]
				}
			}
		}
	}
}

// Square writes the bytes of the square to dst, [Side][Side][3].
func (p *Preprocessing) Square(r *Resizer, dst []byte, im *raster.Image) {
	dst = dst[:p.Side*p.Side*3]
	if im.Width == 0 || im.Height == 0 {
		clear(dst)
		return
	}
	width, height := p.resized(im.Width, im.Height)
	left, top := p.corner(width), p.corner(height)
	area := Area{Width: width, Height: height, Left: max(left, 0), Top: max(top, 0)}
	area.Columns, area.Rows = min(left+p.Side, width)-area.Left, min(top+p.Side, height)-area.Top
	if area.Columns == p.Side && area.Rows == p.Side {
		r.Resize(dst, im, area, p.Filter)
		return
	}
	part := make([]byte, area.Columns*area.Rows*3)
	r.Resize(part, im, area, p.Filter)
	clear(dst)
	for y := range area.Rows {
		copy(dst[((area.Top-top+y)*p.Side+area.Left-left)*3:], part[y*area.Columns*3:][:area.Columns*3])
	}
}

// resized returns the size of a picture after resizing.
func (p *Preprocessing) resized(width, height int) (int, int) {
	switch {
	case p.Short > 0 && width <= height:
		return p.Short, p.long(height, width)
	case p.Short > 0:
		return p.long(width, height), p.Short
	case p.Width > 0:
		return p.Width, p.Height
	}
	return width, height
}

// long returns the longer side after resizing, rounded down as Python divides: as one quotient in
// 64 bits. Pillow makes no picture whose side needs more than 31 bits.
func (p *Preprocessing) long(long, short int) int {
	return int(min(float64(int64(p.Short)*int64(long))/float64(short), math.MaxInt32))
}

// corner returns where the square begins on a side of a length: before 0 where it is longer.
func (p *Preprocessing) corner(length int) int {
	spare := length - p.Side
	if p.Even {
		return int(math.RoundToEven(float64(spare) / 2))
	}
	return spare >> 1
}
