package vp8

// zigzag is the order of coefficients, and bands that of their probabilities.
var (
	zigzag = [16]uint8{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}
	bands  = [17]uint8{0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0}
)

// large are the probabilities of the bits of large values, by their kind.
var large = [4][]uint8{
	{173, 148, 140},
	{176, 155, 140, 135},
	{180, 157, 141, 134, 130},
	{254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129},
}

// coefficients reads those of a block from the one at first on, times their steps, and returns the
// place after the last one. The block is zero.
func (r *reader) coefficients(block *[16]int16, probabilities *tokens, first, context int, steps *[2]int32) int {
	at, value, width, count := r.at, r.value, r.width, r.count
	n, set := first, false
	p := &probabilities[bands[n&15]][context]
	for n < 16 {
		if count < 4*7 {
			at, value, count = refill(r.data, at, value, count)
		}
		if value, width, count, set = next(value, width, count, p[0]); !set {
			break
		}
		for {
			if value, width, count, set = next(value, width, count, p[1]); set {
				break
			}
			if n++; n == 16 {
				r.at, r.value, r.width, r.count = at, value, width, count
				return n
			}
			p = &probabilities[bands[n&15]][0]
			if count < 4*7 {
				at, value, count = refill(r.data, at, value, count)
			}
		}
		v := int32(1)
		context = 1
		if value, width, count, set = next(value, width, count, p[2]); set {
			r.at, r.value, r.width, r.count = at, value, width, count
			v, context = r.large(p), 2
			at, value, width, count = r.at, r.value, r.width, r.count
		}
		if value, width, count, set = next(value, width, count, 128); set {
			v = -v
		}
		step := steps[1]
		if n == 0 {
			step = steps[0]
		}
		block[zigzag[n&15]] = int16(v * step)
		n++
		p = &probabilities[bands[n]][context]
	}
	r.at, r.value, r.width, r.count = at, value, width, count
	return n
}

// large reads a value of two or more, and leaves a bit for its sign.
func (r *reader) large(p *[11]uint8) (v int32) {
	one := func(probability uint8) int32 {
		if r.bit(probability) {
			return 1
		}
		return 0
	}
	switch {
	case !r.bit(p[3]):
		if v = 2; r.bit(p[4]) {
			v = 3 + one(p[5])
		}
	case !r.bit(p[6]):
		if !r.bit(p[7]) {
			v = 5 + one(159)
		} else {
			v = 7 + 2*one(165)
			v += one(145)
		}
	default:
		kind := one(p[8])
		kind = 2*kind + one(p[9+kind])
		for _, probability := range large[kind] {
			v = 2*v + one(probability)
		}
		v += 3 + 8<<kind
	}
	if r.count < 8 {
		r.at, r.value, r.count = refill(r.data, r.at, r.value, r.count)
	}
	return v
}
