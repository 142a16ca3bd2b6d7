package vp8

// predict4 predicts a block of 4×4. right are the samples above the next block.
func (p *plane) predict4(at int, mode uint8, right [4]byte) {
	s, stride := p.samples, p.stride
	above := s[at-stride-1:][:5]
	x, a, b, c, d := int(above[0]), int(above[1]), int(above[2]), int(above[3]), int(above[4])
	i, j, k, l := int(s[at-1]), int(s[at+stride-1]), int(s[at+2*stride-1]), int(s[at+3*stride-1])
	e, f, g, h := int(right[0]), int(right[1]), int(right[2]), int(right[3])
	two := func(v, w int) byte { return byte((v + w + 1) >> 1) }
	three := func(v, w, x int) byte { return byte((v + 2*w + x + 2) >> 2) }
	var rows [4][4]byte
	switch mode {
	case modeDC:
		v := byte((a + b + c + d + i + j + k + l + 4) >> 3)
		rows[0] = [4]byte{v, v, v, v}
		rows[1], rows[2], rows[3] = rows[0], rows[0], rows[0]
	case modeTM:
		for y, left := range [4]int{i, j, k, l} {
			for n, up := range [4]int{a, b, c, d} {
				rows[y][n] = clamp(int32(left + up - x))
			}
		}
	case modeVE:
		rows[0] = [4]byte{three(x, a, b), three(a, b, c), three(b, c, d), three(c, d, e)}
		rows[1], rows[2], rows[3] = rows[0], rows[0], rows[0]
	case modeHE:
		for y, v := range [4]byte{three(x, i, j), three(i, j, k), three(j, k, l), three(k, l, l)} {
			rows[y] = [4]byte{v, v, v, v}
		}
	case modeRD:
		diagonal := [7]byte{three(j, k, l), three(i, j, k), three(x, i, j), three(a, x, i), three(b, a, x), three(c, b, a), three(d, c, b)}
		for y := range rows {
			rows[y] = [4]byte(diagonal[3-y:])
		}
	case modeLD:
		diagonal := [7]byte{three(a, b, c), three(b, c, d), three(c, d, e), three(d, e, f), three(e, f, g), three(f, g, h), three(g, h, h)}
		for y := range rows {
			rows[y] = [4]byte(diagonal[y:])
		}
	case modeVR:
		rows[0] = [4]byte{two(x, a), two(a, b), two(b, c), two(c, d)}
		rows[1] = [4]byte{three(i, x, a), three(x, a, b), three(a, b, c), three(b, c, d)}
		rows[2] = [4]byte{three(j, i, x), rows[0][0], rows[0][1], rows[0][2]}
		rows[3] = [4]byte{three(k, j, i), rows[1][0], rows[1][1], rows[1][2]}
	case modeVL:
		rows[0] = [4]byte{two(a, b), two(b, c), two(c, d), two(d, e)}
		rows[1] = [4]byte{three(a, b, c), three(b, c, d), three(c, d, e), three(d, e, f)}
		rows[2] = [4]byte{rows[0][1], rows[0][2], rows[0][3], three(e, f, g)}
		rows[3] = [4]byte{rows[1][1], rows[1][2], rows[1][3], three(f, g, h)}
	case modeHD:
		rows[3] = [4]byte{two(l, k), three(l, k, j), two(k, j), three(k, j, i)}
		rows[2] = [4]byte{two(k, j), three(k, j, i), two(j, i), three(j, i, x)}
		rows[1] = [4]byte{two(j, i), three(j, i, x), two(i, x), three(i, x, a)}
		rows[0] = [4]byte{two(i, x), three(i, x, a), three(x, a, b), three(a, b, c)}
	case modeHU:
		v := byte(l)
		rows[0] = [4]byte{two(i, j), three(i, j, k), two(j, k), three(j, k, l)}
		rows[1] = [4]byte{two(j, k), three(j, k, l), two(k, l), three(k, l, l)}
		rows[2] = [4]byte{two(k, l), three(k, l, l), v, v}
		rows[3] = [4]byte{v, v, v, v}
	}
	for y := range rows {
		*(*[4]byte)(s[at+y*stride:]) = rows[y]
	}
}
