package kernel

// WeighRows sums rows of bytes by their weights: dst[i] is the sum of weights[r]·rows[r·stride+i].
// Products are rounded, and added in the order of the rows.
func WeighRows(dst []float32, rows []byte, stride int, weights []float32) {
	media().weighRows(dst, rows, stride, weights)
}

// Window is where a sum begins, counted in pixels, and how many groups of eight it has.
type Window struct{ First, Groups int }

// FilterTriples sums windows of pixels of three values by their weights, which lie window by
// window: dst has three values for each.
func FilterTriples(dst, pixels, weights []float32, windows []Window) {
	media().filterTriples(dst, pixels, weights, windows)
}

// WeightBits are those after the binary point of a weight of bytes.
const WeightBits = 22

// WeighRowsBytes is [WeighRows] with whole weights: a sum is rounded to the nearest byte.
func WeighRowsBytes(dst, rows []byte, stride int, weights []int32) {
	media().weighRowsBytes(dst, rows, stride, weights)
}

// FilterTriplesBytes is [FilterTriples] with whole weights for some rows of pixels, which begin
// stride bytes after each other; those of dst begin dstStride bytes after each other. A sum is
// rounded to the nearest byte. Pixels of a group that are not there count as black.
func FilterTriplesBytes(dst []byte, dstStride int, pixels []byte, stride, rows int, weights []int32, windows []Window) {
	media().filterTriplesBytes(dst, dstStride, pixels, stride, rows, weights, windows)
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

func weighRowsBytesPortable(dst, rows []byte, stride int, weights []int32) {
	// Some columns at a time, whose sums fit a few cache lines.
	var sums [256]int32
	for len(dst) > 0 {
		part := sums[:min(len(sums), len(dst))]
		clear(part)
		for r, w := range weights {
			row := rows[r*stride:][:len(part)]
			for i, v := range row {
				part[i] += int32(v) * w
			}
		}
		for i, sum := range part {
			dst[i] = byteOfSum(sum)
		}
		dst, rows = dst[len(part):], rows[min(len(part), len(rows)):]
	}
}

func filterTriplesBytesPortable(dst []byte, dstStride int, pixels []byte, stride, rows int, weights []int32, windows []Window) {
	for y := range rows {
		filterRowBytes(dst[y*dstStride:], pixels[y*stride:], weights, windows)
	}
}

func filterRowBytes(dst, pixels []byte, weights []int32, windows []Window) {
	for o, window := range windows {
		var red, green, blue int32
		from := pixels[min(3*window.First, len(pixels)):]
		from = from[:min(24*window.Groups, len(from))]
		for i, w := range weights[:8*window.Groups] {
			if 3*i+2 >= len(from) {
				break
			}
			pixel := from[3*i:][:3]
			red += int32(pixel[0]) * w
			green += int32(pixel[1]) * w
			blue += int32(pixel[2]) * w
		}
		pixel := dst[3*o:][:3]
		pixel[0], pixel[1], pixel[2] = byteOfSum(red), byteOfSum(green), byteOfSum(blue)
		weights = weights[8*window.Groups:]
	}
}

// byteOfSum rounds a sum of weighted bytes.
func byteOfSum(sum int32) byte {
	return byte(min(max((sum+1<<(WeightBits-1))>>WeightBits, 0), 255))
}
