package kernel

func addBytesAVX2(dst, x []byte) {
	dst = dst[:len(x)]
	for len(x) >= 32 {
		n := span(len(x), 32)
		addBytesx32(&dst[0], &x[0], n)
		dst, x = dst[n:], x[n:]
	}
	addBytesPortable(dst, x)
}

// paethAVX2 leaves the last pixel to the portable loop: the assembly reads four bytes of each.
func paethAVX2(row, above []byte, channels int) {
	const most = mostScalars * 2
	above = above[:len(row)]
	var left, corner [4]byte
	for channels >= 3 && len(row) > 4 {
		count := min((len(row)-4)/channels+1, most)
		if channels == 3 {
			paethx3(&row[0], &above[0], count, &left, &corner)
		} else {
			paethx4(&row[0], &above[0], count, &left, &corner)
		}
		row, above = row[count*channels:], above[count*channels:]
	}
	for i := range row {
		at := i % channels
		left[at], corner[at] = row[i]+nearest(left[at], above[i], corner[at]), above[i]
		row[i] = left[at]
	}
}
