package kernel

// tileRows is how many rows one call of assembly takes.
const tileRows = 4

func tileF32(rows, depth int, x *float32, xStride int, panel *float32, dst *float32, dstStride int, accumulate bool) {
	xStride, dstStride = xStride*scalar, dstStride*scalar
	switch rows {
	case 1:
		neon1F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 2:
		neon2F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 3:
		neon3F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 4:
		neon4F32(depth, x, xStride, panel, dst, dstStride, accumulate)
	}
}

func tileBF16(rows, depth int, x *float32, xStride int, panel *uint16, dst *float32, dstStride int, accumulate bool) {
	xStride, dstStride = xStride*scalar, dstStride*scalar
	switch rows {
	case 1:
		neon1BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 2:
		neon2BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 3:
		neon3BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	case 4:
		neon4BF16(depth, x, xStride, panel, dst, dstStride, accumulate)
	}
}
