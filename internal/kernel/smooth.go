package kernel

// Edge is which edges between blocks VP8 smooths. Limit is for the samples at the edge, Inner for
// those of one side, and Variance is from which difference on only two samples are changed.
type Edge struct{ Limit, Inner, Variance uint16 }

// Smooth smooths the edge in the middle of each of two blocks of 8×8 samples, whose rows are stride
// apart: between their columns if it is upright, else between their rows. The outer edges of a
// macroblock are smoothed more.
func Smooth(first, second []byte, stride int, upright, outer bool, e Edge) {
	decoders().smooth(first, second, stride, upright, outer, e)
}

func smoothPortable(first, second []byte, stride int, upright, outer bool, e Edge) {
	along, across := 1, stride
	if upright {
		along, across = stride, 1
	}
	smoothBlock(first, along, across, outer, e)
	smoothBlock(second, along, across, outer, e)
}

func smoothBlock(samples []byte, along, across int, outer bool, e Edge) {
	limit, inner, variance := int32(e.Limit), int32(e.Inner), int32(e.Variance)
	for place := range 8 {
		v := samples[place*along:][:7*across+1]
		p1, p0, q0, q1 := int32(v[2*across]), int32(v[3*across]), int32(v[4*across]), int32(v[5*across])
		if 4*apart(p0, q0)+apart(p1, q1) > limit {
			continue
		}
		p3, p2, q2, q3 := int32(v[0]), int32(v[across]), int32(v[6*across]), int32(v[7*across])
		if max(apart(p3, p2), apart(p2, p1), apart(p1, p0), apart(q1, q0), apart(q2, q1), apart(q3, q2)) > inner {
			continue
		}
		switch {
		case max(apart(p1, p0), apart(q1, q0)) > variance:
			a := 3*(q0-p0) + within(p1-q1, 127)
			v[3*across], v[4*across] = bounded8(p0+within((a+3)>>3, 15)), bounded8(q0-within((a+4)>>3, 15))
		case outer:
			a := within(3*(q0-p0)+within(p1-q1, 127), 127)
			a1, a2, a3 := (27*a+63)>>7, (18*a+63)>>7, (9*a+63)>>7
			v[across], v[2*across], v[3*across] = bounded8(p2+a3), bounded8(p1+a2), bounded8(p0+a1)
			v[4*across], v[5*across], v[6*across] = bounded8(q0-a1), bounded8(q1-a2), bounded8(q2-a3)
		default:
			a := 3 * (q0 - p0)
			a1, a2 := within((a+4)>>3, 15), within((a+3)>>3, 15)
			a3 := (a1 + 1) >> 1
			v[2*across], v[3*across] = bounded8(p1+a3), bounded8(p0+a2)
			v[4*across], v[5*across] = bounded8(q0-a1), bounded8(q1-a3)
		}
	}
}

func apart(v, w int32) int32 { return max(v-w, w-v) }

// within keeps v between -most-1 and most.
func within(v, most int32) int32 { return min(max(v, -most-1), most) }

func bounded8(v int32) byte { return byte(min(max(v, 0), 255)) }
