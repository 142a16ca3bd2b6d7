package kernel

// multiply multiplies rows of x with one block of one panel, as blockF32 does with all of them.
type multiply[Weight any] func(dst []float32, dstStride int, x []float32, xStride, rows, depth int, panel []Weight, columns int, accumulate bool)

// eachPanel multiplies with one panel after the other.
func eachPanel[Weight any](one multiply[Weight], dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []Weight, columns int, accumulate bool) {
	for first := 0; first < columns; first += panelWidth {
		panel := panels[first*depth:][:panelWidth*depth]
		one(dst[first:], dstStride, x, xStride, rows, depth, panel, min(panelWidth, columns-first), accumulate)
	}
}
