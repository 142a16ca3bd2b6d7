package kernel

// multiplyTiles takes pairs of panels if the processor multiplies bytes in wide registers, and
// single panels otherwise. Results that do not fill a panel go through tileSums.
func (b *byteBlock) multiplyTiles(wide bool) {
	row, end := b.rows.First, b.rows.End
	if row == end {
		return
	}
	length := quad * b.quads
	panel := panelWidth * length
	_, _ = b.rowScales[row:end], b.rowZeros[row:end]
	for first := 0; first < b.columns; {
		width := panelWidth
		if wide && first+2*panelWidth <= b.columns {
			width = 2 * panelWidth
		}
		columns := min(width, b.columns-first)
		weights := b.weights[first*length:][:panel*width/panelWidth]
		scales, sums := b.scales[first:][:width], b.sums[first:][:width]
		for at := row; at < end; {
			count := min(tileRows, end-at)
			if width > panelWidth {
				count = pairTile(end-at, 1)
			}
			_ = b.x[(at+count-1)*b.xStride:][:length]
			_ = b.dst[(at+count-1)*b.dstStride+first:][:columns]
			to, stride, add := b.dst[at*b.dstStride+first:], b.dstStride, b.accumulate
			var narrow tileSums
			if columns < width {
				to, stride, add = narrow[:], panelWidth, false
			}
			x, w, rowScales, rowZeros := &b.x[at*b.xStride], &weights[0], &b.rowScales[at], &b.rowZeros[at]
			if width > panelWidth {
				pairBytes(count, b.quads, x, b.xStride, w, &to[0], stride*scalar, &scales[0], &sums[0], rowScales, rowZeros, add)
			} else {
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

func quantizeAVX2(dst []byte, x []float32, inverse float32, zero int32) {
	dst = dst[:len(x)]
	for len(x) >= 8 {
		n := span(len(x), 8)
		quantizex8(&dst[0], &x[0], n, inverse, zero)
		dst, x = dst[n:], x[n:]
	}
	quantizePortable(dst, x, inverse, zero)
}
