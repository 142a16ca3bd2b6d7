//go:build !amd64 && !arm64

package kernel

// Here the portable loops are the only ones. dispatch_amd64.go and dispatch_arm64.go are the same seam with a choice.

func blockF32(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []float32, columns int, accumulate bool) {
	eachPanel(panelF32Portable, dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
}

func blockBF16(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []uint16, columns int, accumulate bool) {
	eachPanel(panelBF16Portable, dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
}

func dot(x, y []float32) float32                     { return dotPortable(x, y) }
func add(dst, x []float32)                           { addPortable(dst, x) }
func addBF16(dst []float32, x []uint16)              { addBF16Portable(dst, x) }
func addInt8(dst []float32, x []byte, scale float32) { addInt8Portable(dst, x, scale) }
func addInt4(dst []float32, x []byte, scale float32) { addInt4Portable(dst, x, scale) }
func addSigns(dst *[64]float32, z uint64, w float32) { addSignsPortable(dst, z, w) }
func exponentials(x []float32, by float32) float64   { return exponentialsPortable(x, by) }
func scale(x []float32, factor float32)              { scalePortable(x, factor) }
func silu(x []float32)                               { siluPortable(x) }
func normalize(dst, x, gain []float32, eps float64)  { normalizePortable(dst, x, gain, eps) }
func rotate(x, cos, sin []float32)                   { rotatePortable(x, cos, sin) }
func floatsToF16(dst []uint16, src []float32)        { floatsToF16Portable(dst, src) }
func floatsToBF16(dst []uint16, src []float32)       { floatsToBF16Portable(dst, src) }
func floatsToInt8(dst []int8, src []float32)         { floatsToInt8Portable(dst, src) }
func floatsFromF16(dst []float32, src []uint16)      { floatsFromF16Portable(dst, src) }
func floatsFromBF16(dst []float32, src []uint16)     { floatsFromBF16Portable(dst, src) }

func sixteenRows(lines, x []float32, stride, count, depth int) {
	sixteenRowsPortable(lines, x, stride, count, depth)
}

func sixteenColumns(lines, x []float32, stride, count, depth int) {
	sixteenColumnsPortable(lines, x, stride, count, depth)
}
