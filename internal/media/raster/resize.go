package raster

import (
	"slices"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

const (
	// bandWeights is the most weights that are held at once. A picture of over 65,536 columns is
	// resized in several passes.
	bandWeights = 1 << 18
	// run is the number of products that are summed in 32 bits before they are added to a sum in
	// 64: one sum in 32 bits would lose the small weights of a picture of a million columns.
	run = 256
	// together is how many such sums a window has; padding is the values of the pixels that may be
	// behind its last one.
	together = 8
	padding  = 3 * (together - 1)
)

// Resizer resizes pictures to squares. It keeps its working memory for the next one. The zero
// Resizer is ready to use. One goroutine at a time may use it.
type Resizer struct {
	columns, rows axis
	// weights are those of some columns of the square, window by window, each filled up with zeros
	// to a multiple of together; shares are those of one of its rows.
	weights, shares []float32
	// windows are those of the weights; widest is the groups of the widest one.
	windows []kernel.Window
	widest  int
	// part is a piece of a window, and some are its sums.
	part [1]kernel.Window
	some [3]float32
	// pixels is a row to be filtered, scalars a row to be added, sums the rows of the square so
	// far.
	pixels, scalars []float32
	sums            []float64
}

// Resize computes step 4 of section 9: the picture as [side][side][3], each value within 0 … 255. A
// picture without pixels is black.
func Resize(im *Image, side int) []float32 {
	resized := make([]float32, side*side*3)
	new(Resizer).Resize(resized, im, side)
	return resized
}

// Resize is [Resize] into dst; it sets the first side·side·3 values.
//
// Both axes are filtered by a cubic, which is widened where the picture shrinks. Each row of the
// square is summed from the picture's, and filtered. If there would be more such rows than the
// picture has, and they are shortened, each of its rows is filtered once, and added to the few rows
// of the square that it belongs to. So memory depends on the square and on the picture's width, and
// time is proportional to the picture's pixels, whatever its shape.
func (r *Resizer) Resize(dst []float32, im *Image, side int) {
	dst = dst[:side*side*3]
	if im.Width == 0 || im.Height == 0 || side == 0 {
		clear(dst)
		return
	}
	r.columns.measure(im.Width, side)
	r.rows.measure(im.Height, side)
	r.pixels = slices.Grow(r.pixels[:0], im.Width*3+padding)[:im.Width*3+padding]
	if im.Height >= side || im.Width < side {
		r.rowsFirst(dst, im)
		return
	}
	r.sums = zeros(r.sums, len(dst))
	for begin := 0; begin < side; {
		begin = r.band(im, begin)
	}
	bound(dst, r.sums)
}

// rowsFirst makes each row of the square from the picture's rows, and filters it.
func (r *Resizer) rowsFirst(dst []float32, im *Image) {
	side := r.rows.side
	for begin := 0; begin < side; {
		end := r.weigh(begin)
		left, right := r.columns.windows[begin].first, r.columns.windows[end-1].last
		for o := range side {
			row := dst[(o*side+begin)*3:][:(end-begin)*3]
			r.filter(row, r.line(im, o, left, right))
			for i, v := range row {
				row[i] = min(max(v, 0), 255)
			}
		}
		begin = end
	}
}

// line sums rows of the picture for row o of the square, in the columns from left to before right.
func (r *Resizer) line(im *Image, o, left, right int) []float32 {
	width, window := (right-left)*3, r.rows.windows[o]
	r.shares = r.shares[:0]
	for y := window.first; y < window.last; y++ {
		r.shares = append(r.shares, float32(r.rows.weight(o, y)))
	}
	pixels := r.pixels[:width]
	rows, shares := im.RGB[(window.first*im.Width+left)*3:], r.shares
	if len(shares) <= run {
		kernel.WeighRows(pixels, rows, im.Width*3, shares)
	} else {
		r.sums = zeros(r.sums, width)
		for len(shares) > 0 {
			part := min(run, len(shares))
			kernel.WeighRows(pixels, rows, im.Width*3, shares[:part])
			for i, v := range pixels {
				r.sums[i] += float64(v)
			}
			shares, rows = shares[part:], rows[min(part*im.Width*3, len(rows)):]
		}
		for i, sum := range r.sums {
			pixels[i] = float32(sum)
		}
	}
	return r.padded(width)
}

// padded returns a number of r.pixels, and zeros after them, which the weights that fill up a
// window meet.
func (r *Resizer) padded(count int) []float32 {
	clear(r.pixels[count : count+padding])
	return r.pixels[:count+padding]
}

// band filters some columns of the square, from begin on, and returns the column after them.
func (r *Resizer) band(im *Image, begin int) (end int) {
	end = r.weigh(begin)
	left, right := r.columns.windows[begin].first, r.columns.windows[end-1].last
	r.scalars = slices.Grow(r.scalars[:0], (end-begin)*3)[:(end-begin)*3]
	first := 0
	for y := range im.Height {
		row := im.RGB[(y*im.Width+left)*3 : (y*im.Width+right)*3]
		pixels := r.pixels[:len(row)]
		for i, v := range row {
			pixels[i] = float32(v)
		}
		r.filter(r.scalars, r.padded(len(row)))
		first = r.addRow(y, first, r.sums[begin*3:], r.columns.side*3)
	}
	return end
}

// weigh sets the weights of some columns of the square, from begin on, and returns the column after
// them. The weights of a picture that is not wider than the square always fit.
func (r *Resizer) weigh(begin int) (end int) {
	r.weights, r.windows, r.widest = r.weights[:0], r.windows[:0], 0
	left := r.columns.windows[begin].first
	for end = begin; end < r.columns.side && (end == begin || len(r.weights) < bandWeights); end++ {
		w := r.columns.windows[end]
		for i := w.first; i < w.last; i++ {
			r.weights = append(r.weights, float32(r.columns.weight(end, i)))
		}
		for len(r.weights)%together > 0 {
			r.weights = append(r.weights, 0)
		}
		groups := (w.last - w.first + together - 1) / together
		r.windows = append(r.windows, kernel.Window{First: w.first - left, Groups: groups})
		r.widest = max(r.widest, groups)
	}
	return end
}

// addRow adds the scalars of row y of the picture to each row of the square that they belong to.
// The windows of those rows begin and end in order, so the search starts at the first row that row
// y - 1 belonged to.
func (r *Resizer) addRow(y, first int, sums []float64, stride int) int {
	for r.rows.windows[first].last <= y {
		first++
	}
	for o := first; o < r.rows.side && r.rows.windows[o].first <= y; o++ {
		add(sums[o*stride:][:len(r.scalars)], r.scalars, r.rows.weight(o, y))
	}
	return first
}

// filter sums a row's pixels for some columns of the square.
func (r *Resizer) filter(dst, pixels []float32) {
	if r.widest <= run {
		kernel.FilterTriples(dst, pixels, r.weights, r.windows)
		return
	}
	weights := r.weights
	for o, window := range r.windows {
		var sums [3]float64
		for window.Groups > 0 {
			groups := min(window.Groups, run)
			r.part[0] = kernel.Window{First: window.First, Groups: groups}
			kernel.FilterTriples(r.some[:], pixels, weights, r.part[:])
			for i, v := range r.some {
				sums[i] += float64(v)
			}
			weights = weights[groups*together:]
			window.First += groups * together
			window.Groups -= groups
		}
		for i, sum := range sums {
			dst[o*3+i] = float32(sum)
		}
	}
}

// add adds a row by its weight.
func add(sums []float64, row []float32, weight float64) {
	row = row[:len(sums)]
	for i := range sums {
		sums[i] += weight * float64(row[i])
	}
}

// bound clamps sums to valid values.
func bound(dst []float32, sums []float64) {
	for i, sum := range sums {
		dst[i] = float32(min(max(sum, 0), 255))
	}
}

// zeros returns memory of a length, all zero, and reuses old if it fits.
func zeros(old []float64, length int) []float64 {
	old = slices.Grow(old[:0], length)[:length]
	clear(old)
	return old
}
