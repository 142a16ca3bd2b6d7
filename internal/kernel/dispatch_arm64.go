package kernel

// There is assembly for products and exponentials; dispatch_portable.go has the rest, loops in which the compiler fuses multiplications
// and additions.

func blockF32(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []float32, columns int, accumulate bool) {
	if current() == neon {
		eachPanel(panelTiled[float32], dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	} else {
		eachPanel(panelF32Portable, dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	}
}

func blockBF16(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []uint16, columns int, accumulate bool) {
	if current() == neon {
		eachPanel(panelTiled[uint16], dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	} else {
		eachPanel(panelBF16Portable, dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	}
}

func exponentials(x []float32, scale float32) float64 {
	if current() == neon {
		return exponentialsNEON(x, scale)
	}
	return exponentialsPortable(x, scale)
}

func silu(x []float32) {
	if current() == neon {
		siluNEON(x)
	} else {
		siluPortable(x)
	}
}
