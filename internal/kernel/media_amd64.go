package kernel

// media returns the loops of the path in use. Those of AVX2 also serve AVX-512.
func media() *mediaRoutines {
	if current().path == portable.path {
		return &mediaPortable
	}
	return &mediaAVX2
}

// decoders is media for files.
func decoders() *decoderRoutines {
	if current().path == portable.path {
		return &decodersPortable
	}
	return &decodersAVX2
}

var mediaAVX2 = mediaRoutines{
	upsampleRows:       upsampleRowsAVX2,
	upsampleColumns:    upsampleColumnsAVX2,
	upsampleBoth:       upsampleBothAVX2,
	fullRange:          fullRangeAVX2,
	limitedRange:       limitedRangeAVX2,
	weighRows:          weighRowsAVX2,
	filterTriples:      filterTriplesAVX2,
	weighRowsBytes:     weighRowsBytesAVX2,
	filterTriplesBytes: filterTriplesBytesAVX2,
	convolve:           convolveAVX2,
}

var decodersAVX2 = decoderRoutines{
	inverse:    inverseAVX2,
	smooth:     smoothAVX2,
	addBytes:   addBytesAVX2,
	paeth:      paethAVX2,
	synthesize: synthesizeAVX2,
	combine:    combineAVX2,
}
