package preprocess

import (
	"slices"

	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// bandWeights is the most weights that are held at once, unless a single pixel has more.
const bandWeights = 1 << 18

// together is how many weights a group of a window has.
const together = 8

// Area is a part of a resized picture.
type Area struct {
	// Width and Height are the size of the whole picture after resizing.
	Width, Height int
	// Left and Top are the first column and row of the part, Columns and Rows its size. The part
	// lies within the picture.
	Left, Top, Columns, Rows int
}

// Resizer resizes pictures. It keeps its working memory for the next one. The zero Resizer is ready
// to use. One goroutine at a time may use it.
type Resizer struct {
	between []byte // the picture after one axis
	weights []int32
	shares  []float64
	windows []kernel.Window // of the columns whose weights are held
	at      []int
}

// Resize writes a part of a resized picture to dst, [Rows][Columns][3]: the bytes that Pillow's
// Image.resize and Image.crop return. The picture has pixels.
//
// Only what the part is made of is computed, in time proportional to the pixels it is made of, so
// the picture may have any shape. Memory depends on the part, and on one side of the picture.
func (r *Resizer) Resize(dst []byte, im *raster.Image, area Area, filter Filter) {
	across := axis{filter, im.Width, area.Width}
	down := axis{filter, im.Height, area.Height}
	if filter == Nearest {
		r.nearest(dst, im, area, &across, &down)
		return
	}
	whole := plane{bytes: im.RGB, width: im.Width}
	out := plane{bytes: dst, width: area.Columns}
	// The picture is rounded to bytes after the first axis, so the order matters. It is Pillow's.
	switch {
	case im.Width == area.Width && im.Height == area.Height:
		for y := range area.Rows {
			copy(out.row(y), whole.row(area.Top + y)[area.Left*3:][:area.Columns*3])
		}
	case im.Height == area.Height:
		r.across(out, whole, &across, area.Left, area.Top, area.Rows)
	case im.Width == area.Width:
		r.down(out, whole, &down, area.Top, area.Rows, area.Left)
	case im.Height > area.Height && im.Height-area.Height > 2*(im.Width-area.Width):
		first, _ := across.window(area.Left)
		_, last := across.window(area.Left + area.Columns - 1)
		between := plane{bytes: r.grow(area.Rows * (last - first) * 3), width: last - first, left: first}
		r.down(between, whole, &down, area.Top, area.Rows, first)
		r.across(out, between, &across, area.Left, 0, area.Rows)
	default:
		first, _ := down.window(area.Top)
		_, last := down.window(area.Top + area.Rows - 1)
		between := plane{bytes: r.grow((last - first) * area.Columns * 3), width: area.Columns, top: first}
		r.across(between, whole, &across, area.Left, first, last-first)
		r.down(out, between, &down, area.Top, area.Rows, 0)
	}
}

func (r *Resizer) grow(size int) []byte {
	r.between = slices.Grow(r.between[:0], size)[:size]
	return r.between
}

// plane is rows of pixels of three bytes.
type plane struct {
	bytes []byte
	width int
	// left and top are where it begins in the picture, if that is not its corner.
	left, top int
}

func (p plane) row(y int) []byte { return p.from(y)[:p.width*3] }

// from returns a row and those below it.
func (p plane) from(y int) []byte { return p.bytes[y*p.width*3:] }

// across filters rows, from top on, to columns of dst, which begin with column left of the result.
func (r *Resizer) across(dst, src plane, a *axis, left, top, rows int) {
	for done := 0; done < dst.width; {
		// Some columns at a time, in all rows.
		r.weights, r.windows = r.weights[:0], r.windows[:0]
		end := done
		for ; end < dst.width && (end == done || len(r.weights) < bandWeights); end++ {
			r.weights = a.weights(r.weights, &r.shares, left+end)
			for len(r.weights)%together > 0 {
				r.weights = append(r.weights, 0)
			}
			first, last := a.window(left + end)
			r.windows = append(r.windows, kernel.Window{First: first - src.left, Groups: (last - first + together - 1) / together})
		}
		kernel.FilterTriplesBytes(dst.bytes[done*3:], dst.width*3, src.from(top), src.width*3, rows, r.weights, r.windows)
		done = end
	}
}

// down filters columns, from left on, to rows of dst, which begin with row top of the result.
func (r *Resizer) down(dst, src plane, a *axis, top, rows, left int) {
	for o := range rows {
		r.weights = a.weights(r.weights[:0], &r.shares, top+o)
		first, _ := a.window(top + o)
		kernel.WeighRowsBytes(dst.row(o), src.from(first - src.top)[left*3:], src.width*3, r.weights)
	}
}

func (r *Resizer) nearest(dst []byte, im *raster.Image, area Area, across, down *axis) {
	r.at = slices.Grow(r.at[:0], area.Columns+area.Rows)[:area.Columns+area.Rows]
	columns, rows := r.at[:area.Columns], r.at[area.Columns:]
	across.nearest(columns, area.Left)
	down.nearest(rows, area.Top)
	for y, from := range rows {
		row, to := im.RGB[from*im.Width*3:][:im.Width*3], dst[y*area.Columns*3:]
		for x, at := range columns {
			copy(to[x*3:][:3], row[at*3:])
		}
	}
}
