//go:build !amd64

package kernel

// These have assembly on amd64 alone, and dispatch_amd64.go chooses there.

func dot(x, y []float32) float32                     { return dotPortable(x, y) }
func add(dst, x []float32)                           { addPortable(dst, x) }
func addBF16(dst []float32, x []uint16)              { addBF16Portable(dst, x) }
func addInt8(dst []float32, x []byte, scale float32) { addInt8Portable(dst, x, scale) }
func addInt4(dst []float32, x []byte, scale float32) { addInt4Portable(dst, x, scale) }
func addSigns(dst *[64]float32, z uint64, w float32) { addSignsPortable(dst, z, w) }
func scale(x []float32, factor float32)              { scalePortable(x, factor) }
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
