package kernel

// mediaRoutines are the innermost loops over pixels and samples, and decoderRoutines those of the
// decoders of files. They have the same bits on every path, except for those of recordings. They
// are tables apart, so that a program contains only what it can reach.
type mediaRoutines struct {
	upsampleRows       func(dst, near, far []byte, bias int)
	upsampleColumns    func(dst, near []byte, even, odd int)
	upsampleBoth       func(dst, near, far []byte, even, odd int)
	fullRange          func(rgb, y, cb, cr []byte)
	limitedRange       func(rgb, y, cb, cr []byte)
	weighRows          func(dst []float32, rows []byte, stride int, weights []float32)
	filterTriples      func(dst, pixels, weights []float32, windows []Window)
	weighRowsBytes     func(dst, rows []byte, stride int, weights []int32)
	filterTriplesBytes func(dst []byte, dstStride int, pixels []byte, stride, rows int, weights []int32, windows []Window)
	convolve           func(dst, samples, table []float32, taps, phase, step, rest int)
}

type decoderRoutines struct {
	inverse    func(dst []byte, stride int, coefficients *[64]int16, quantizers *[64]uint16)
	smooth     func(first, second []byte, stride int, upright, outer bool, e Edge)
	addBytes   func(dst, x []byte)
	paeth      func(row, above []byte, channels int)
	synthesize func(b *Bank, dst, subbands *Granule, window *[512]float32)
	combine    func(dst *[24]float32, rows, weights []float32)
}

var mediaPortable = mediaRoutines{
	upsampleRows:       upsampleRowsPortable,
	upsampleColumns:    upsampleColumnsPortable,
	upsampleBoth:       upsampleBothPortable,
	fullRange:          fullRangePortable,
	limitedRange:       limitedRangePortable,
	weighRows:          weighRowsPortable,
	filterTriples:      filterTriplesPortable,
	weighRowsBytes:     weighRowsBytesPortable,
	filterTriplesBytes: filterTriplesBytesPortable,
	convolve:           convolvePortable,
}

var decodersPortable = decoderRoutines{
	inverse:    inversePortable,
	smooth:     smoothPortable,
	addBytes:   addBytesPortable,
	paeth:      paethPortable,
	synthesize: synthesizePortable,
	combine:    combinePortable,
}
