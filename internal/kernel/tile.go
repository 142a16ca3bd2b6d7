//go:build amd64 || arm64

package kernel

// weight is what panels hold.
type weight interface{ float32 | uint16 }

// panelTiled is [multiply] by assembly, a tile of rows at a time. It checks, as indexing would, that every row is within its
// slice before assembly sees a pointer.
func panelTiled[Weight weight](dst []float32, dstStride int, x []float32, xStride, rows, depth int, panel []Weight, columns int, accumulate bool) {
	if rows == 0 || depth == 0 {
		return
	}
	panel = panel[:depth*panelWidth]
	var sums tile
	for row := 0; row < rows; row += tileRows {
		count := min(tileRows, rows-row)
		from, to := tileOf(x, row, count, xStride, depth), tileOf(dst, row, count, dstStride, columns)
		if columns == panelWidth {
			multiplyTile(count, depth, from, xStride, &panel[0], to, dstStride, accumulate)
			continue
		}
		multiplyTile(count, depth, from, xStride, &panel[0], &sums[0], panelWidth, false)
		storeTile(dst[row*dstStride:], dstStride, &sums, count, columns, accumulate)
	}
}

func multiplyTile[Weight weight](rows, depth int, x *float32, xStride int, panel *Weight, dst *float32, dstStride int, accumulate bool) {
	switch panel := any(panel).(type) {
	case *float32:
		tileF32(rows, depth, x, xStride, panel, dst, dstStride, accumulate)
	case *uint16:
		tileBF16(rows, depth, x, xStride, panel, dst, dstStride, accumulate)
	}
}

// tile is room for the results of some rows of a panel that has fewer than sixteen columns.
type tile = [tileRows * panelWidth]float32

const scalar = 4 // bytes of a float32

// tileOf points to the first of count rows of width scalars, and panics if the first or the last is not within v.
func tileOf(v []float32, row, count, stride, width int) *float32 {
	_ = v[(row+count-1)*stride:][:width]
	return &v[row*stride:][:width][0]
}

func storeTile(dst []float32, stride int, sums *tile, rows, columns int, accumulate bool) {
	for r := range rows {
		store(dst[r*stride:][:columns], sums[r*panelWidth:][:columns], accumulate)
	}
}
