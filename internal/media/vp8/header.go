package vp8

// segment is what some macroblocks have in common.
type segment struct {
	// steps are the quantizers of the planes: luma, its first coefficients, colour; each of the
	// first coefficient, and of the others.
	steps [3][2]int32
	// smoothing is that of macroblocks of one mode, and of blocks with modes of their own.
	smoothing [2]smoothing
}

// smoothing is how edges are filtered.
type smoothing struct {
	level, inner, variance int32
	// inside reports that edges within a macroblock are filtered, too.
	inside bool
}

// header reads the head of a frame after its size, and reports whether it is right.
func (d *decoder) header(data []byte, first int) bool {
	if first > len(data) {
		return false
	}
	d.head = newReader(data[:first])
	r := &d.head
	r.number(2) // the colours' space, and whether sums need bounds
	var quantizers, levels [4]int32
	absolute, segmented := true, r.flag()
	d.chances = [3]uint8{255, 255, 255}
	if segmented {
		d.mapped = r.flag()
		if r.flag() {
			absolute = r.flag()
			for i := range quantizers {
				quantizers[i] = r.signed(7)
			}
			for i := range levels {
				levels[i] = r.signed(6)
			}
		}
		if d.mapped {
			for i := range d.chances {
				if r.flag() {
					d.chances[i] = uint8(r.number(8))
				}
			}
		}
	}
	d.simple = r.flag()
	level, sharpness := r.number(6), r.number(3)
	var change [2]int32 // for key frames, and for blocks with modes of their own
	if used := r.flag(); used && r.flag() {
		for i := range 8 {
			if delta := r.signed(6); i%4 == 0 {
				change[i/4] = delta
			}
		}
	}
	d.smooth = level != 0
	if !d.partition(data[first:], 1<<r.number(2)) {
		return false
	}
	quantizer := r.number(7)
	var deltas [5]int32
	for i := range deltas {
		deltas[i] = r.signed(4)
	}
	for i := range d.segments {
		s := &d.segments[i]
		q, strength := quantizer, level
		switch {
		case segmented && absolute:
			q, strength = quantizers[i], levels[i]
		case segmented:
			q, strength = q+quantizers[i], strength+levels[i]
		}
		s.quantize(q, &deltas)
		plain, own := strength+change[0], strength+change[0]+change[1]
		if min(plain, own) < -128 || max(plain, own) > 127 {
			return false // which decoders make different things of
		}
		s.smoothing[0].set(bounded(plain, 63), sharpness)
		s.smoothing[1].set(bounded(own, 63), sharpness)
		s.smoothing[1].inside = true
	}
	r.flag() // whether the probabilities stay
	d.tokens = firstTokens
	for plane := range d.tokens {
		for band := range d.tokens[plane] {
			for context := range d.tokens[plane][band] {
				for i := range d.tokens[plane][band][context] {
					if r.bit(tokenUpdates[plane][band][context][i]) {
						d.tokens[plane][band][context][i] = uint8(r.number(8))
					}
				}
			}
		}
	}
	if d.skips = r.flag(); d.skips {
		d.skipping = uint8(r.number(8))
	}
	return !r.short()
}

func bounded(v, most int32) int32 { return min(max(v, 0), most) }

func (s *segment) quantize(q int32, deltas *[5]int32) {
	dc := func(delta, most int32) int32 { return stepsDC[bounded(q+delta, most)] }
	ac := func(delta int32) int32 { return stepsAC[bounded(q+delta, 127)] }
	s.steps = [3][2]int32{
		{dc(deltas[0], 127), ac(0)},
		{2 * dc(deltas[1], 127), max(ac(deltas[2])*155/100, 8)},
		{dc(deltas[3], 117), ac(deltas[4])},
	}
}

func (s *smoothing) set(level, sharpness int32) {
	if level == 0 {
		return
	}
	s.inner = level
	if sharpness > 0 {
		if s.inner >>= 1; sharpness > 4 {
			s.inner >>= 1
		}
		s.inner = min(s.inner, 9-sharpness)
	}
	s.inner = max(s.inner, 1)
	s.level = 2*level + s.inner
	switch {
	case level >= 40:
		s.variance = 2
	case level >= 15:
		s.variance = 1
	}
}

// partition finds the parts of the coefficients, which rows of macroblocks take in turn.
func (d *decoder) partition(data []byte, count int) bool {
	sizes := 3 * (count - 1)
	if sizes > len(data) {
		return false
	}
	rest := data[sizes:]
	for i := range count {
		size := len(rest)
		if i < count-1 {
			size = int(data[3*i]) | int(data[3*i+1])<<8 | int(data[3*i+2])<<16
		}
		if size > len(rest) {
			return false
		}
		d.parts = append(d.parts, newReader(rest[:size]))
		rest = rest[size:]
	}
	return true
}
