package kernel

import "golang.org/x/sys/cpu"

func (b *byteBlock) multiply(dst []float32, dstStride, row, end int, accumulate bool) {
	switch {
	case current() == portable:
		b.multiplyPortable(dst, dstStride, row, end, accumulate)
	case current() == avx512 && cpu.X86.HasAVX512VNNI:
		b.multiplyAssembly(dst, dstStride, row, end, accumulate, true)
	default:
		b.multiplyAssembly(dst, dstStride, row, end, accumulate, false)
	}
}

// multiplyAssembly takes pairs of panels where the processor multiplies bytes in wide registers, and panels elsewhere. What
// does not fill a panel goes by way of a tile.
func (b *byteBlock) multiplyAssembly(dst []float32, dstStride, row, end int, accumulate, wide bool) {
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
			_ = dst[(at+count-1)*dstStride+first:][:columns]
			to, stride, add := dst[at*dstStride+first:], dstStride, accumulate
			var narrow tile
			if columns < width {
				to, stride, add = narrow[:], panelWidth, false
			}
			tileBytes(width > panelWidth, count, b.quads, &b.x[at*b.xStride], b.xStride, &weights[0], &to[0], stride*scalar,
				&scales[0], &sums[0], &b.rowScales[at], &b.rowZeros[at], add)
			if columns < width {
				storeTile(dst[at*dstStride+first:], dstStride, &narrow, count, columns, accumulate)
			}
			at += count
		}
		first += columns
	}
}

func extremes(x []float32) (low, high float32) {
	if current() == portable {
		return extremesPortable(x)
	}
	for len(x) >= 8 {
		n := span(len(x), 8)
		l, h := extremesx8(&x[0], n)
		low, high = min(low, l), max(high, h)
		x = x[n:]
	}
	l, h := extremesPortable(x)
	return min(low, l), max(high, h)
}

func quantize(dst []byte, x []float32, inverse float32, zero int32) {
	dst = dst[:len(x)]
	if current() != portable {
		for len(x) >= 8 {
			n := span(len(x), 8)
			quantizex8(&dst[0], &x[0], n, inverse, zero)
			dst, x = dst[n:], x[n:]
		}
	}
	quantizePortable(dst, x, inverse, zero)
}

func tileBytes(pair bool, rows, quads int, x *byte, xStride int, panel *int8, dst *float32, dstStride int, scales, sums, rowScales, rowZeros *float32, accumulate bool) {
	if pair {
		tileBytePairs(rows, quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
		return
	}
	switch rows {
	case 1:
		bytes1(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 2:
		bytes2(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 3:
		bytes3(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 4:
		bytes4(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 5:
		bytes5(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 6:
		bytes6(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	}
}

func tileBytePairs(rows, quads int, x *byte, xStride int, panel *int8, dst *float32, dstStride int, scales, sums, rowScales, rowZeros *float32, accumulate bool) {
	switch rows {
	case 1:
		bytePair1(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 2:
		bytePair2(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 3:
		bytePair3(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 4:
		bytePair4(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 5:
		bytePair5(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 6:
		bytePair6(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 7:
		bytePair7(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 8:
		bytePair8(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 9:
		bytePair9(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 10:
		bytePair10(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 11:
		bytePair11(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	case 12:
		bytePair12(quads, x, xStride, panel, dst, dstStride, scales, sums, rowScales, rowZeros, accumulate)
	}
}
