package vp8

// filter smooths the edges of all macroblocks.
func (d *decoder) filter() {
	for y := range d.high {
		for x := range d.wide {
			s := &d.blocks[y*d.wide+x]
			if s.level == 0 {
				continue
			}
			planes := d.planes[:]
			if d.simple {
				planes = planes[:1]
			}
			for c := range planes {
				p, side := &planes[c], 16
				if c > 0 {
					side = 8
				}
				at := p.first + side*(y*p.stride+x)
				if x > 0 {
					d.edge(p, at, p.stride, 1, side, s.level+4, s, true)
				}
				if s.inside {
					for inner := 4; inner < side; inner += 4 {
						d.edge(p, at+inner, p.stride, 1, side, s.level, s, false)
					}
				}
				if y > 0 {
					d.edge(p, at, 1, p.stride, side, s.level+4, s, true)
				}
				if s.inside {
					for inner := 4; inner < side; inner += 4 {
						d.edge(p, at+inner*p.stride, 1, p.stride, side, s.level, s, false)
					}
				}
			}
		}
	}
}

// edge smooths an edge: side places, which are along apart, of samples that are across apart.
func (d *decoder) edge(p *plane, at, along, across, side int, level int32, s *smoothing, outer bool) {
	limit := 2*level + 1
	if d.simple {
		for range side {
			v := p.samples[at-2*across:]
			p1, p0, q0, q1 := int32(v[0]), int32(v[across]), int32(v[2*across]), int32(v[3*across])
			if 4*magnitude(p0-q0)+magnitude(p1-q1) <= limit {
				a := 3*(q0-p0) + signed(p1-q1)
				v[across], v[2*across] = clamp(p0+few((a+3)>>3)), clamp(q0-few((a+4)>>3))
			}
			at += along
		}
		return
	}
	for range side {
		v := p.samples[at-4*across:]
		at += along
		p1, p0, q0, q1 := int32(v[2*across]), int32(v[3*across]), int32(v[4*across]), int32(v[5*across])
		if 4*magnitude(p0-q0)+magnitude(p1-q1) > limit {
			continue
		}
		p3, p2, q2, q3 := int32(v[0]), int32(v[across]), int32(v[6*across]), int32(v[7*across])
		if max(magnitude(p3-p2), magnitude(p2-p1), magnitude(p1-p0), magnitude(q1-q0), magnitude(q2-q1), magnitude(q3-q2)) > s.inner {
			continue
		}
		switch {
		case max(magnitude(p1-p0), magnitude(q1-q0)) > s.variance:
			a := 3*(q0-p0) + signed(p1-q1)
			v[3*across], v[4*across] = clamp(p0+few((a+3)>>3)), clamp(q0-few((a+4)>>3))
		case outer:
			a := signed(3*(q0-p0) + signed(p1-q1))
			a1, a2, a3 := (27*a+63)>>7, (18*a+63)>>7, (9*a+63)>>7
			v[across], v[2*across], v[3*across] = clamp(p2+a3), clamp(p1+a2), clamp(p0+a1)
			v[4*across], v[5*across], v[6*across] = clamp(q0-a1), clamp(q1-a2), clamp(q2-a3)
		default:
			a := 3 * (q0 - p0)
			a1, a2 := few((a+4)>>3), few((a+3)>>3)
			a3 := (a1 + 1) >> 1
			v[2*across], v[3*across] = clamp(p1+a3), clamp(p0+a2)
			v[4*across], v[5*across] = clamp(q0-a1), clamp(q1-a3)
		}
	}
}

func magnitude(v int32) int32 { return (v ^ v>>31) - v>>31 }

func signed(v int32) int32 { return min(max(v, -128), 127) }

func few(v int32) int32 { return min(max(v, -16), 15) }
