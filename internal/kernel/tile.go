//go:build amd64 || arm64

package kernel

// weight is the type of a panel's elements.
type weight interface{ float32 | uint16 }

// tile is the product of a few rows with a panel, or a pair of them, by one call of assembly.
// Strides are in scalars.
type tile[Weight weight] struct {
	rows, depth int
	x           *float32
	xStride     int
	panel       *Weight
	dst         *float32
	dstStride   int
	accumulate  bool
}

// panelTiled multiplies a block of one panel by assembly, a tile of rows at a time. It checks, as
// indexing would, that every row is within its slice before assembly sees a pointer.
func panelTiled[Weight weight](b block[Weight]) {
	if b.rows == 0 || b.depth == 0 {
		return
	}
	panel := b.panels[:b.depth*panelWidth]
	var sums tileSums
	for row, before := 0, 0; row < b.rows; before++ {
		count := tileOfRows(b.rows-row, tileRows)
		t := tile[Weight]{
			rows: count, depth: b.depth, x: tileOf(b.x, row, count, b.xStride, b.depth), xStride: b.xStride, panel: &panel[0],
			dst: tileOf(b.dst, row, count, b.dstStride, b.columns), dstStride: b.dstStride, accumulate: b.accumulate,
		}
		if b.columns == panelWidth {
			t.multiply(before)
		} else {
			t.dst, t.dstStride, t.accumulate = &sums[0], panelWidth, false
			t.multiply(before)
			sums.store(b.dst[row*b.dstStride:], b.dstStride, count, b.columns, b.accumulate)
		}
		row += count
	}
}

// tileOfRows returns how many of the left rows the next call takes, of at most so many. A few rows
// wait for weights, and have too few sums to hide the latency of one, so the last two calls share
// their rows evenly.
func tileOfRows(left, most int) int {
	if left > most && left < 2*most {
		return (left + 1) / 2
	}
	return min(left, most)
}

// prefetchF32 is how many bytes after its weights a tile prefetches: a part of the next panel, of
// which two calls with the same panel prefetch all.
func prefetchF32(before, depth int) int { return scalar*panelWidth*depth + before%2*256 }

// multiply is one call of assembly, with one panel. before counts the earlier calls with the same
// panel.
func (t *tile[Weight]) multiply(before int) {
	xStride, dstStride := t.xStride*scalar, t.dstStride*scalar
	switch panel := any(t.panel).(type) {
	case *float32:
		tileF32(t.rows, t.depth, t.x, xStride, panel, t.dst, dstStride, t.accumulate, prefetchF32(before, t.depth))
	case *uint16:
		tileBF16(t.rows, t.depth, t.x, xStride, panel, t.dst, dstStride, t.accumulate, 2*panelWidth*t.depth)
	}
}

// tileSums holds the results of some rows of a panel that has fewer than sixteen columns.
type tileSums [tileRows * panelWidth]float32

// store copies the existing columns to dst.
func (sums *tileSums) store(dst []float32, stride, rows, columns int, accumulate bool) {
	for r := range rows {
		store(dst[r*stride:][:columns], sums[r*panelWidth:][:columns], accumulate)
	}
}

const scalar = 4 // bytes of a float32

// tileOf points to the first of count rows of width scalars, and panics if the first or the last is
// not within v.
func tileOf(v []float32, row, count, stride, width int) *float32 {
	_ = v[(row+count-1)*stride:][:width]
	return &v[row*stride:][:width][0]
}
