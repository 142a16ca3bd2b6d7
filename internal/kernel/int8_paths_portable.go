//go:build !amd64

package kernel

func (b *byteBlock) multiply(dst []float32, dstStride, row, end int, accumulate bool) {
	b.multiplyPortable(dst, dstStride, row, end, accumulate)
}

func extremes(x []float32) (low, high float32) { return extremesPortable(x) }

func quantize(dst []byte, x []float32, inverse float32, zero int32) {
	quantizePortable(dst, x, inverse, zero)
}
