package raster

import "slices"

const (
	// bandWeights is the most weights that are held at once. A picture of over 65,536 columns is
	// resized in several passes.
	bandWeights = 1 << 18
	// run is the number of products that are summed in 32 bits before they are added to a sum in
	// 64: one sum in 32 bits would lose the small weights of a picture of a million columns.
	run = 256
)

// Resizer resizes pictures to squares. It keeps its working memory for the next one. The zero
// Resizer is ready to use. One goroutine at a time may use it.
type Resizer struct {
	columns, rows axis
	// weights are those of some columns of the square, window by window.
	weights []float32
	// pixels is a row to be filtered, scalars a row to be added, sums the rows of the square so
	// far.
	pixels  []float32
	scalars []float64
	sums    []float64
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
// picture is filtered once, and added to the few rows of the square that it belongs to, so memory
// depends on the square and not on the picture's height. If filtering would make rows longer, they
// are added first and filtered afterwards. Time is proportional to the picture's pixels, whatever
// its shape.
func (r *Resizer) Resize(dst []float32, im *Image, side int) {
	dst = dst[:side*side*3]
	if im.Width == 0 || im.Height == 0 || side == 0 {
		clear(dst)
		return
	}
	r.columns.measure(im.Width, side)
	r.rows.measure(im.Height, side)
	r.pixels = slices.Grow(r.pixels[:0], im.Width*3)[:im.Width*3]
	if im.Width < side {
		r.rowsFirst(dst, im)
		return
	}
	r.sums = zeros(r.sums, len(dst))
	for begin := 0; begin < side; {
		begin = r.band(im, begin)
	}
	bound(dst, r.sums)
}

// rowsFirst resizes a picture that is narrower than the square.
func (r *Resizer) rowsFirst(dst []float32, im *Image) {
	side, width := r.rows.side, im.Width*3
	r.sums = zeros(r.sums, side*width)
	r.scalars = zeros(r.scalars, width)
	first := 0
	for y := range im.Height {
		for i, v := range im.RGB[y*width:][:width] {
			r.scalars[i] = float64(v)
		}
		first = r.addRow(y, first, r.sums, width)
	}
	end := r.weigh(0)
	r.scalars = zeros(r.scalars, side*3)
	for o := range side {
		for i, sum := range r.sums[o*width:][:width] {
			r.pixels[i] = float32(sum)
		}
		r.filter(r.pixels, 0, 0, end)
		bound(dst[o*side*3:], r.scalars)
	}
}

// band filters some columns of the square, from begin on, and returns the column after them.
func (r *Resizer) band(im *Image, begin int) (end int) {
	end = r.weigh(begin)
	left, right := r.columns.windows[begin].first, r.columns.windows[end-1].last
	r.scalars = zeros(r.scalars, (end-begin)*3)
	first := 0
	for y := range im.Height {
		row := im.RGB[(y*im.Width+left)*3 : (y*im.Width+right)*3]
		pixels := r.pixels[:len(row)]
		for i, v := range row {
			pixels[i] = float32(v)
		}
		r.filter(pixels, left, begin, end)
		first = r.addRow(y, first, r.sums[begin*3:], r.columns.side*3)
	}
	return end
}

// weigh sets the weights of some columns of the square, from begin on, and returns the column after
// them. The weights of a picture that is not wider than the square always fit.
func (r *Resizer) weigh(begin int) (end int) {
	r.weights = r.weights[:0]
	for end = begin; end < r.columns.side && (end == begin || len(r.weights) < bandWeights); end++ {
		w := r.columns.windows[end]
		for i := w.first; i < w.last; i++ {
			r.weights = append(r.weights, float32(r.columns.weight(end, i)))
		}
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

// filter sums a row's pixels, which begin with column left, for the columns of the square from
// begin to end.
func (r *Resizer) filter(pixels []float32, left, begin, end int) {
	weights := r.weights
	for o := begin; o < end; o++ {
		w := r.columns.windows[o]
		window := pixels[(w.first-left)*3 : (w.last-left)*3]
		sums := r.scalars[(o-begin)*3:][:3:3]
		sums[0], sums[1], sums[2] = 0, 0, 0
		for n := w.last - w.first; n > 0; {
			part := min(n, run)
			red, green, blue := dot(weights[:part], window[:part*3])
			sums[0] += float64(red)
			sums[1] += float64(green)
			sums[2] += float64(blue)
			weights, window, n = weights[part:], window[part*3:], n-part
		}
	}
}

// dot sums pixels by their weights. It keeps two sums, so that an addition does not wait for the
// one before it.
func dot(weights, pixels []float32) (red, green, blue float32) {
	var red2, green2, blue2 float32
	for len(weights) >= 4 && len(pixels) >= 12 {
		w, p := (*[4]float32)(weights), (*[12]float32)(pixels)
		red += w[0]*p[0] + w[2]*p[6]
		green += w[0]*p[1] + w[2]*p[7]
		blue += w[0]*p[2] + w[2]*p[8]
		red2 += w[1]*p[3] + w[3]*p[9]
		green2 += w[1]*p[4] + w[3]*p[10]
		blue2 += w[1]*p[5] + w[3]*p[11]
		weights, pixels = weights[4:], pixels[12:]
	}
	for len(weights) > 0 && len(pixels) >= 3 {
		w, p := weights[0], (*[3]float32)(pixels)
		red += w * p[0]
		green += w * p[1]
		blue += w * p[2]
		weights, pixels = weights[1:], pixels[3:]
	}
	return red + red2, green + green2, blue + blue2
}

// add adds a row by its weight.
func add(sums, row []float64, weight float64) {
	row = row[:len(sums)]
	for i := range sums {
		sums[i] += weight * row[i]
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
