package kernel

// multiplyTiles takes pairs of panels if the processor multiplies bytes in wide registers, and
// single panels otherwise, or where all rows fit one call. Results that do not fill a panel go
// through tileSums.
func (b *byteBlock) multiplyTiles(wide bool) {
	row, end := b.rows.First, b.rows.End
	if row == end {
		return
	}
	length := quad * b.quads
	panel := panelWidth * length
	_, _ = b.rowScales[row:end], b.rowZeros[row:end]
	once := wide && end-row > pairRows && end-row <= onceRows
	for first := 0; first < b.columns; {
		width := panelWidth
		if wide && !once && first+2*panelWidth <= b.columns {
			width = 2 * panelWidth
		}
		columns := min(width, b.columns-first)
		weights := b.weights[first*length:][:panel*width/panelWidth]
		scales, sums := b.scales[first:][:width], b.sums[first:][:width]
		for at := row; at < end; {
			count := min(tileRows, end-at)
			switch {
			case width > panelWidth:
				count = tileOfRows(end-at, pairRows)
			case once && columns == panelWidth:
				count = end - at
			}
			_ = b.x[(at+count-1)*b.xStride:][:length]
			_ = b.dst[(at+count-1)*b.dstStride+first:][:columns]
			to, stride, add := b.dst[at*b.dstStride+first:], b.dstStride, b.accumulate
			var narrow tileSums
			if columns < width {
				to, stride, add = narrow[:], panelWidth, false
			}
			x, w, rowScales, rowZeros := &b.x[at*b.xStride], &weights[0], &b.rowScales[at], &b.rowZeros[at]
			switch {
			case count > tileRows && width == panelWidth:
				onceBytes(count, b.quads, x, b.xStride, w, &to[0], stride*scalar, &scales[0], &sums[0], rowScales, rowZeros, add)
			case width > panelWidth:
				pairBytes(count, b.quads, x, b.xStride, w, &to[0], stride*scalar, &scales[0], &sums[0], rowScales, rowZeros, add)
			default:
				tileBytes(count, b.quads, x, b.xStride, w, &to[0], stride*scalar, &scales[0], &sums[0], rowScales, rowZeros, add)
			}
			if columns < width {
				narrow.store(b.dst[at*b.dstStride+first:], b.dstStride, count, columns, b.accumulate)
			}
			at += count
		}
		first += columns
	}
}

func extremesAVX2(x []float32) (low, high float32) {
	for len(x) >= 8 {
		n := span(len(x), 8)
		l, h := extremesx8(&x[0], n)
		low, high = min(low, l), max(high, h)
		x = x[n:]
	}
	l, h := extremesPortable(x)
	return min(low, l), max(high, h)
}

// quantizeRowsOf returns a routine from its assembly, which takes columns in multiples of lanes.
func quantizeRowsOf(lanes int,
	assembly func(dst *byte, dstStride int, x *float32, xStride, rows, columns int, scales, zeros *float32),
) func(b *Bytes, x []float32, xStride, columns int) {
	return func(b *Bytes, x []float32, xStride, columns int) {
		if columns == 0 || columns%lanes != 0 {
			quantizeRowsPortable(b, x, xStride, columns)
			return
		}
		rows := len(b.scales)
		_ = b.zeros[:rows]
		most := max(1, mostScalars/columns)
		for row := 0; row < rows; row += most {
			count := min(most, rows-row)
			_ = b.values[(row+count-1)*b.stride:][:columns]
			assembly(&b.values[row*b.stride], b.stride, tileOf(x, row, count, xStride, columns), xStride*scalar, count, columns, &b.scales[row], &b.zeros[row])
		}
	}
}

// signedRowsAVX2 takes the rows of a panel at a time, if they are whole vectors in a single block
// of inputs, as the keys of a head are.
func signedRowsAVX2(p *PackedBytes, w []float32, stride int) {
	if p.inputs == 0 || p.inputs > Depth || p.inputs%8 != 0 {
		signedRowsPortable(p, w, stride)
		return
	}
	for output := 0; output < p.outputs; output += panelWidth {
		count := min(panelWidth, p.outputs-output)
		panel := p.weights[output*p.inputs:][:panelWidth*p.inputs]
		scales, sums := p.scales[output:][:count], p.sums[output:][:count]
		signedRowsx8(&panel[0], tileOf(w, output, count, stride, p.inputs), stride*scalar, count, p.inputs, &scales[0], &sums[0])
	}
}
