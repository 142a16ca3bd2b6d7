//go:build !amd64 && !arm64

package kernel

// These processors have no assembly.

func blockF32(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []float32, columns int, accumulate bool) {
	eachPanel(panelF32Portable, dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
}

func blockBF16(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []uint16, columns int, accumulate bool) {
	eachPanel(panelBF16Portable, dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
}

func exponentials(x []float32, by float32) float64 { return exponentialsPortable(x, by) }
func silu(x []float32)                             { siluPortable(x) }
