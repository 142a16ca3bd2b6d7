package kernel

// WeighRows sums rows of bytes by their weights: dst[i] is the sum of weights[r]·rows[r·stride+i].
// Products are rounded, and added in the order of the rows.
func WeighRows(dst []float32, rows []byte, stride int, weights []float32) {
	media().weighRows(dst, rows, stride, weights)
}

// DotTriples sums pixels of three values by their weights, whose number is a multiple of 8.
func DotTriples(weights, pixels []float32) (first, second, third float32) {
	return media().dotTriples(weights, pixels)
}

func weighRowsPortable(dst []float32, rows []byte, stride int, weights []float32) {
	clear(dst)
	for r, w := range weights {
		row := rows[r*stride:][:len(dst)]
		for i, v := range row {
			dst[i] += float32(w * float32(v))
		}
	}
}

func dotTriplesPortable(weights, pixels []float32) (first, second, third float32) {
	var sums [24]float32
	for len(weights) >= 8 && len(pixels) >= 24 {
		w, p := (*[8]float32)(weights), (*[24]float32)(pixels)
		for i, v := range w {
			sums[3*i] += float32(v * p[3*i])
			sums[3*i+1] += float32(v * p[3*i+1])
			sums[3*i+2] += float32(v * p[3*i+2])
		}
		weights, pixels = weights[8:], pixels[24:]
	}
	return sumTriples(&sums)
}

// sumTriples adds the sums of eight pixels.
func sumTriples(s *[24]float32) (first, second, third float32) {
	return ((s[0] + s[3]) + (s[6] + s[9])) + ((s[12] + s[15]) + (s[18] + s[21])),
		((s[1] + s[4]) + (s[7] + s[10])) + ((s[13] + s[16]) + (s[19] + s[22])),
		((s[2] + s[5]) + (s[8] + s[11])) + ((s[14] + s[17]) + (s[20] + s[23]))
}
