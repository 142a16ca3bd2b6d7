package kernel

// AddBytes adds x to dst, which is as long, modulo 256.
func AddBytes(dst, x []byte) { decoders().addBytes(dst, x) }

// Paeth undoes PNG's filter of a row: it adds to each byte of a pixel that of the pixel before, of
// the one above, or of the one above the one before, whichever is nearest to the sum of the first
// two without the third. Pixels have 1, 3 or 4 bytes. above is as long as row.
func Paeth(row, above []byte, channels int) { decoders().paeth(row, above, channels) }

func addBytesPortable(dst, x []byte) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += v
	}
}

func paethPortable(row, above []byte, channels int) {
	above = above[:len(row)]
	for channel := range min(channels, len(row)) {
		var left, corner byte
		for i := channel; i < len(row); i += channels {
			left, corner = row[i]+nearest(left, above[i], corner), above[i]
			row[i] = left
		}
	}
}

// nearest is without branches, since which one is nearest is hard to predict.
func nearest(left, up, corner byte) byte {
	a, b, c := int32(left), int32(up), int32(corner)
	magnitude := func(v int32) int32 { return (v ^ v>>31) - v>>31 }
	toLeft, toUp, toCorner := magnitude(b-c), magnitude(a-c), magnitude(a+b-2*c)
	if toUp < toLeft {
		a, toLeft = b, toUp
	}
	if toCorner < toLeft {
		a = c
	}
	return byte(a)
}
