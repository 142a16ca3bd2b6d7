package kernel

// mediaRoutines are the innermost loops of the decoders of media. They have the same bits on every
// path, except for those of recordings. They are a table apart, so that a program without decoders
// does not contain them.
type mediaRoutines struct {
	inverse                 func(dst []byte, stride int, coefficients *[64]int16, quantizers *[64]uint16)
	upsampleRows            func(dst, near, far []byte, bias int)
	upsampleColumns         func(dst, near []byte, even, odd int)
	upsampleBoth            func(dst, near, far []byte, even, odd int)
	fullRange, limitedRange func(rgb, y, cb, cr []byte)
	weighRows               func(dst []float32, rows []byte, stride int, weights []float32)
	filterTriples           func(dst, pixels, weights []float32, windows []Window)
	smooth                  func(first, second []byte, stride int, upright, outer bool, e Edge)
	addBytes                func(dst, x []byte)
	paeth                   func(row, above []byte, channels int)
	synthesize              func(b *Bank, dst, subbands *Granule, window *[512]float32)
	combine                 func(dst *[24]float32, rows, weights []float32)
	convolve                func(dst, samples, table []float32, taps, phase, step, rest int)
	weighRowsBytes          func(dst, rows []byte, stride int, weights []int32)
	filterTriplesBytes      func(dst []byte, dstStride int, pixels []byte, stride, rows int, weights []int32, windows []Window)
}

var mediaPortable = mediaRoutines{
	inverse:            inversePortable,
	upsampleRows:       upsampleRowsPortable,
	upsampleColumns:    upsampleColumnsPortable,
	upsampleBoth:       upsampleBothPortable,
	fullRange:          fullRangePortable,
	limitedRange:       limitedRangePortable,
	weighRows:          weighRowsPortable,
	filterTriples:      filterTriplesPortable,
	smooth:             smoothPortable,
	addBytes:           addBytesPortable,
	paeth:              paethPortable,
	synthesize:         synthesizePortable,
	combine:            combinePortable,
	convolve:           convolvePortable,
	weighRowsBytes:     weighRowsBytesPortable,
	filterTriplesBytes: filterTriplesBytesPortable,
}
