package kernel

// This file, or dispatch_portable.go with another for other processors, is the only way from the package to its innermost loops.
// Every path keeps the order of each sum independent of the number of rows it is given.

// blockF32 multiplies rows of x with one block of every panel. For every row i and column c < columns
//
//	dst[i·dstStride+c] = Σ x[i·xStride+p] · panels[⌊c/panelWidth⌋·depth·panelWidth + p·panelWidth + c mod panelWidth],  p = 0 … depth−1
//
// or, with accumulate, dst plus that sum. depth is at most Depth.
func blockF32(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []float32, columns int, accumulate bool) {
	switch current() {
	case avx512:
		blockAVX512(dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	case avx2:
		eachPanel(panelTiled[float32], dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	default:
		eachPanel(panelF32Portable, dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	}
}

// blockBF16 is blockF32 for panels of bf16, whose columns stand in the order of [lane].
func blockBF16(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []uint16, columns int, accumulate bool) {
	switch current() {
	case avx512:
		blockAVX512(dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	case avx2:
		eachPanel(panelTiled[uint16], dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	default:
		eachPanel(panelBF16Portable, dst, dstStride, x, xStride, rows, depth, panels, columns, accumulate)
	}
}

func dot(x, y []float32) float32 {
	if current() >= avx2 {
		return dotAVX2(x, y)
	}
	return dotPortable(x, y)
}

func add(dst, x []float32) {
	if current() >= avx2 {
		addAVX2(dst, x)
	} else {
		addPortable(dst, x)
	}
}

func addBF16(dst []float32, x []uint16) {
	if current() >= avx2 {
		addBF16AVX2(dst, x)
	} else {
		addBF16Portable(dst, x)
	}
}

func addInt8(dst []float32, x []byte, scale float32) {
	if current() >= avx2 {
		addInt8AVX2(dst, x, scale)
	} else {
		addInt8Portable(dst, x, scale)
	}
}

func addInt4(dst []float32, x []byte, scale float32) {
	if current() >= avx2 {
		addInt4AVX2(dst, x, scale)
	} else {
		addInt4Portable(dst, x, scale)
	}
}

func addSigns(dst *[64]float32, z uint64, w float32) {
	if current() >= avx2 {
		addSigns64(&dst[0], z, w)
	} else {
		addSignsPortable(dst, z, w)
	}
}

func exponentials(x []float32, scale float32) float64 {
	switch current() {
	case avx512:
		return exponentialsAVX512(x, scale)
	case avx2:
		return exponentialsAVX2(x, scale)
	}
	return exponentialsPortable(x, scale)
}

func scale(x []float32, factor float32) {
	if current() >= avx2 {
		scaleAVX2(x, factor)
	} else {
		scalePortable(x, factor)
	}
}

func silu(x []float32) {
	switch current() {
	case avx512:
		siluAVX512(x)
	case avx2:
		siluAVX2(x)
	default:
		siluPortable(x)
	}
}

func normalize(dst, x, gain []float32, epsilon float64) {
	switch current() {
	case avx512:
		normalizeAVX512(dst, x, gain, epsilon)
	case avx2:
		normalizeAVX2(dst, x, gain, epsilon)
	default:
		normalizePortable(dst, x, gain, epsilon)
	}
}

// sixteenRows fills a panel's block: line i takes scalar i of each of count rows of x, which are stride apart, and zeroes up to
// sixteen.
func sixteenRows(lines, x []float32, stride, count, depth int) {
	if current() >= avx2 {
		sixteenRowsAVX2(lines, x, stride, count, depth)
	} else {
		sixteenRowsPortable(lines, x, stride, count, depth)
	}
}

// sixteenColumns fills a panel's block: line i takes count scalars of row i of x, which are stride apart, and zeroes up to
// sixteen.
func sixteenColumns(lines, x []float32, stride, count, depth int) {
	if current() >= avx2 && count == panelWidth {
		sixteenColumnsAVX2(lines, x, stride, depth)
	} else {
		sixteenColumnsPortable(lines, x, stride, count, depth)
	}
}

func rotate(x, cos, sin []float32) {
	if current() >= avx2 {
		rotateAVX2(x, cos, sin)
	} else {
		rotatePortable(x, cos, sin)
	}
}

func floatsFromBF16(dst []float32, src []uint16) {
	if current() >= avx2 {
		floatsFromBF16AVX2(dst, src)
	} else {
		floatsFromBF16Portable(dst, src)
	}
}

// For these there is no assembly: they pass over an output once.

func floatsToF16(dst []uint16, src []float32)   { floatsToF16Portable(dst, src) }
func floatsToBF16(dst []uint16, src []float32)  { floatsToBF16Portable(dst, src) }
func floatsToInt8(dst []int8, src []float32)    { floatsToInt8Portable(dst, src) }
func floatsFromF16(dst []float32, src []uint16) { floatsFromF16Portable(dst, src) }
