package kernel

// tileRows is how many rows one call of assembly takes: with Depth inputs that is a microsecond, and no longer,
// in which the goroutine cannot be preempted.
const tileRows = 6

// panelF32AVX2 checks, as indexing would, that every row is within its slice before assembly sees a pointer.
func panelF32AVX2(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panel []float32, columns int, accumulate bool) {
	if rows == 0 || depth == 0 {
		return
	}
	panel = panel[:depth*panelWidth]
	var sums tile
	for row := 0; row < rows; row += tileRows {
		count := min(tileRows, rows-row)
		from, to := tileOf(x, row, count, xStride, depth), tileOf(dst, row, count, dstStride, columns)
		if columns == panelWidth {
			tileF32(count, depth, from, xStride, &panel[0], to, dstStride, accumulate)
			continue
		}
		tileF32(count, depth, from, xStride, &panel[0], &sums[0], panelWidth, false)
		storeTile(dst[row*dstStride:], dstStride, &sums, count, columns, accumulate)
	}
}

func panelBF16AVX2(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panel []uint16, columns int, accumulate bool) {
	if rows == 0 || depth == 0 {
		return
	}
	panel = panel[:depth*panelWidth]
	var sums tile
	for row := 0; row < rows; row += tileRows {
		count := min(tileRows, rows-row)
		from, to := tileOf(x, row, count, xStride, depth), tileOf(dst, row, count, dstStride, columns)
		if columns == panelWidth {
			tileBF16(count, depth, from, xStride, &panel[0], to, dstStride, accumulate)
			continue
		}
		tileBF16(count, depth, from, xStride, &panel[0], &sums[0], panelWidth, false)
		storeTile(dst[row*dstStride:], dstStride, &sums, count, columns, accumulate)
	}
}

func tileF32(rows, depth int, x *float32, xStride int, panel *float32, dst *float32, dstStride int, accumulate bool) {
	xStride, dstStride = xStride*scalar, dstStride*scalar
	switch rows {
	case 1:
		panel1F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 2:
		panel2F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 3:
		panel3F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 4:
		panel4F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 5:
		panel5F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 6:
		panel6F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	}
}

func tileBF16(rows, depth int, x *float32, xStride int, panel *uint16, dst *float32, dstStride int, accumulate bool) {
	xStride, dstStride = xStride*scalar, dstStride*scalar
	switch rows {
	case 1:
		panel1BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 2:
		panel2BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 3:
		panel3BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 4:
		panel4BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 5:
		panel5BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 6:
		panel6BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	}
}
