package kernel

// tileRows is how many rows one call of assembly takes: with Depth inputs that is a microsecond, and no longer,
// in which the goroutine cannot be preempted.
const tileRows = 6

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
