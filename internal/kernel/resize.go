package kernel

// WeighRows sums rows of bytes by their weights: dst[i] is the sum of weights[r]·rows[r·stride+i].
// Products are rounded, and added in the order of the rows.
func WeighRows(dst []float32, rows []byte, stride int, weights []float32) {
	media().weighRows(dst, rows, stride, weights)
}

// Window is where a sum begins, counted in pixels, and how many groups of eight it has.
type Window struct{ First, Groups int }

// FilterTriples sums windows of pixels of three values by their weights, which lie window by window:
// dst has three values for each.
func FilterTriples(dst, pixels, weights []float32, windows []Window) {
	media().filterTriples(dst, pixels, weights, windows)
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

func filterTriplesPortable(dst, pixels, weights []float32, windows []Window) {
	for _, window := range windows {
		var sums [24]float32
		from := pixels[3*window.First:]
		for range window.Groups {
			w, p := (*[8]float32)(weights), (*[24]float32)(from)
			for i, v := range w {
				sums[3*i] += float32(v * p[3*i])
				sums[3*i+1] += float32(v * p[3*i+1])
				sums[3*i+2] += float32(v * p[3*i+2])
			}
			weights, from = weights[8:], from[24:]
		}
		pixel, s := dst[:3:3], (*[12]float32)(sums[:])
		for i, v := range sums[12:] {
			s[i] += v
		}
		for i := range pixel {
			pixel[i] = (s[i] + s[i+3]) + (s[i+6] + s[i+9])
		}
		dst = dst[3:]
	}
}
