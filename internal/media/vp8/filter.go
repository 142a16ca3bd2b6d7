package vp8

import "github.com/unum-cloud/uform-go/internal/kernel"

// filter smooths the edges of all macroblocks: those on the left, above, and inside.
func (d *decoder) filter() {
	for y := range d.high {
		for x := range d.wide {
			s := &d.blocks[y*d.wide+x]
			if s.level == 0 {
				continue
			}
			for _, upright := range []bool{true, false} {
				edge := d.edge
				if d.simple {
					edge = d.simpleEdge
				}
				if upright && x > 0 || !upright && y > 0 {
					edge(x, y, 0, upright, s)
				}
				if s.inside {
					for inner := 4; inner < 16; inner += 4 {
						edge(x, y, inner, upright, s)
					}
				}
			}
		}
	}
}

// edge smooths an edge of luma, and that of colour if there is one. It is some samples inside of
// the macroblock.
func (d *decoder) edge(x, y, inside int, upright bool, s *smoothing) {
	outer := inside == 0
	level := s.level
	if outer {
		level += 4
	}
	e := kernel.Edge{Limit: uint16(2*level + 1), Inner: uint16(s.inner), Variance: uint16(s.variance)}
	luma, cb, cr := &d.planes[0], &d.planes[1], &d.planes[2]
	at := luma.first + 16*(y*luma.stride+x)
	colour := cb.first + 8*(y*cb.stride+x)
	if upright {
		at += inside - 4
		colour += inside - 4
		kernel.Smooth(luma.samples[at:], luma.samples[at+8*luma.stride:], luma.stride, true, outer, e)
	} else {
		at += (inside - 4) * luma.stride
		colour += (inside - 4) * cb.stride
		kernel.Smooth(luma.samples[at:], luma.samples[at+8:], luma.stride, false, outer, e)
	}
	if inside <= 4 {
		kernel.Smooth(cb.samples[colour:], cr.samples[colour:], cb.stride, upright, outer, e)
	}
}

// simpleEdge changes the two samples at an edge of luma.
func (d *decoder) simpleEdge(x, y, inside int, upright bool, s *smoothing) {
	p, level := &d.planes[0], s.level
	if inside == 0 {
		level += 4
	}
	at, along, across := p.first+16*(y*p.stride+x), 1, p.stride
	if upright {
		along, across = p.stride, 1
	}
	at += (inside - 2) * across
	few := func(v int32) int32 { return min(max(v, -16), 15) }
	for range 16 {
		v := p.samples[at:]
		p1, p0, q0, q1 := int32(v[0]), int32(v[across]), int32(v[2*across]), int32(v[3*across])
		if 4*max(p0-q0, q0-p0)+max(p1-q1, q1-p1) <= 2*level+1 {
			a := 3*(q0-p0) + min(max(p1-q1, -128), 127)
			v[across], v[2*across] = clamp(p0+few((a+3)>>3)), clamp(q0-few((a+4)>>3))
		}
		at += along
	}
}
