package vp8

import "image"

// modes of prediction, in the order of their probabilities.
const (
	modeDC = iota
	modeTM
	modeVE
	modeHE
	modeRD
	modeVR
	modeLD
	modeVL
	modeHD
	modeHU
)

// plane is a channel, in memory with a row above it and columns on both sides, which are what is
// predicted from at the edges.
type plane struct {
	samples []byte
	stride  int
	first   int // the sample in the corner
}

// sides is the columns on either side of a plane.
const sides = 16

func newPlane(width, height int) plane {
	p := plane{stride: width + 2*sides}
	p.samples = make([]byte, p.stride*(height+1))
	p.first = p.stride + sides
	for i := range p.stride {
		p.samples[i] = 127
	}
	for y := range height {
		p.samples[p.first+y*p.stride-1] = 129
	}
	return p
}

// decoder is a frame that is being decoded.
type decoder struct {
	wide, high int // in macroblocks
	planes     [3]plane

	head     reader
	parts    []reader
	segments [4]segment
	mapped   bool // macroblocks tell their segments
	chances  [3]uint8
	simple   bool // edges are filtered in the simple way
	smooth   bool // edges are filtered
	skips    bool // macroblocks tell whether they have coefficients
	skipping uint8
	tokens   [4]tokens

	above  []neighbour
	left   neighbour
	blocks []smoothing // of the macroblocks
	m      macroblock
}

// neighbour is what the next macroblocks need of one: the modes of its blocks at the side, and
// whether those have coefficients: four of luma, two of each colour, and the one of first
// coefficients.
type neighbour struct {
	modes  [4]uint8
	filled [9]uint8
}

// macroblock is 16×16 pixels.
type macroblock struct {
	own          bool // its blocks have modes of their own
	mode, colour uint8
	modes        [16]uint8
	// blocks are coefficients: sixteen of luma, four of each colour, and the first ones of luma;
	// ends are the places after the last of each. dirty reports that some are not zero.
	blocks [25][16]int16
	ends   [24]int
	dirty  bool
}

// Decode decodes a frame, and reports whether it is one that this package decodes. The picture owns
// its bytes.
func Decode(data []byte) (*image.YCbCr, bool) {
	if len(data) < 10 || data[0]&1 != 0 || data[0]>>1&7 > 3 || data[0]>>4&1 == 0 || string(data[3:6]) != "\x9d\x01\x2a" {
		return nil, false
	}
	first := int(data[0])>>5 | int(data[1])<<3 | int(data[2])<<11
	width, height := int(data[6])|int(data[7]&0x3F)<<8, int(data[8])|int(data[9]&0x3F)<<8
	if width == 0 || height == 0 {
		return nil, false
	}
	d := &decoder{wide: (width + 15) / 16, high: (height + 15) / 16}
	if !d.header(data[10:], first) {
		return nil, false
	}
	d.planes = [3]plane{newPlane(16*d.wide, 16*d.high), newPlane(8*d.wide, 8*d.high), newPlane(8*d.wide, 8*d.high)}
	d.above = make([]neighbour, d.wide)
	d.blocks = make([]smoothing, d.wide*d.high)
	for y := range d.high {
		d.left = neighbour{}
		for x := range d.wide {
			d.macroblock(x, y)
		}
		if d.head.short() {
			return nil, false
		}
		d.extend(y)
	}
	for i := range d.parts {
		if d.parts[i].short() {
			return nil, false
		}
	}
	if d.smooth {
		d.filter()
	}
	luma, cb, cr := &d.planes[0], &d.planes[1], &d.planes[2]
	return &image.YCbCr{
		Y: luma.samples[luma.first:], Cb: cb.samples[cb.first:], Cr: cr.samples[cr.first:],
		YStride: luma.stride, CStride: cb.stride,
		SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: image.Rect(0, 0, width, height),
	}, true
}

// extend repeats the last sample of a row of macroblocks to the right, where the next row's last
// blocks are predicted from.
func (d *decoder) extend(y int) {
	p := &d.planes[0]
	end := p.first + (16*y+15)*p.stride + 16*d.wide
	for i := range 4 {
		p.samples[end+i] = p.samples[end-1]
	}
}

func (d *decoder) macroblock(x, y int) {
	m, r, s := &d.m, &d.head, 0
	if d.mapped {
		if !r.bit(d.chances[0]) {
			if r.bit(d.chances[1]) {
				s = 1
			}
		} else if s = 2; r.bit(d.chances[2]) {
			s = 3
		}
	}
	skipped := d.skips && r.bit(d.skipping)
	d.readModes(&d.above[x])
	empty := true
	if m.dirty {
		m.blocks, m.dirty = [25][16]int16{}, false
	}
	m.ends = [24]int{}
	if skipped {
		kept := [2]uint8{d.above[x].filled[8], d.left.filled[8]}
		d.above[x].filled, d.left.filled = [9]uint8{}, [9]uint8{}
		if m.own {
			d.above[x].filled[8], d.left.filled[8] = kept[0], kept[1]
		}
	} else {
		empty = d.residues(&d.parts[y%len(d.parts)], &d.above[x], &d.segments[s])
	}
	smoothing := d.segments[s].smoothing[0]
	if m.own {
		smoothing = d.segments[s].smoothing[1]
	}
	smoothing.inside = smoothing.inside || !empty
	d.blocks[y*d.wide+x] = smoothing
	d.predict(x, y)
}

// readModes reads how a macroblock is predicted.
func (d *decoder) readModes(above *neighbour) {
	m, r := &d.m, &d.head
	m.own = !r.bit(145)
	if m.own {
		for i := range m.modes {
			mode := r.mode(&modeTokens[above.modes[i%4]][d.left.modes[i/4]])
			m.modes[i], above.modes[i%4], d.left.modes[i/4] = mode, mode, mode
		}
	} else {
		if !r.bit(156) {
			if m.mode = modeDC; r.bit(163) {
				m.mode = modeVE
			}
		} else if m.mode = modeHE; r.bit(128) {
			m.mode = modeTM
		}
		for i := range 4 {
			above.modes[i], d.left.modes[i] = m.mode, m.mode
		}
	}
	switch {
	case !r.bit(142):
		m.colour = modeDC
	case !r.bit(114):
		m.colour = modeVE
	case !r.bit(183):
		m.colour = modeHE
	default:
		m.colour = modeTM
	}
}

// mode reads the mode of a block.
func (r *reader) mode(p *[9]uint8) uint8 {
	choose := func(probability, no, yes uint8) uint8 {
		if r.bit(probability) {
			return yes
		}
		return no
	}
	switch {
	case !r.bit(p[0]):
		return modeDC
	case !r.bit(p[1]):
		return modeTM
	case !r.bit(p[2]):
		return modeVE
	case !r.bit(p[3]):
		if !r.bit(p[4]) {
			return modeHE
		}
		return choose(p[5], modeRD, modeVR)
	case !r.bit(p[6]):
		return modeLD
	case !r.bit(p[7]):
		return modeVL
	}
	return choose(p[8], modeHD, modeHU)
}

// residues reads the coefficients of a macroblock, and reports whether all are zero.
func (d *decoder) residues(r *reader, above *neighbour, s *segment) (empty bool) {
	m, left := &d.m, &d.left
	m.dirty = true
	filled := func(set bool) uint8 {
		if set {
			return 1
		}
		return 0
	}
	empty = true
	plane, first := 3, 0
	if !m.own {
		context := int(above.filled[8] + left.filled[8])
		end := r.coefficients(&m.blocks[24], &d.tokens[1], 0, context, &s.steps[1])
		above.filled[8] = filled(end > 0)
		left.filled[8] = above.filled[8]
		m.spread(end)
		plane, first = 0, 1
	}
	for i := range 16 {
		up, side := &above.filled[i%4], &left.filled[i/4]
		end := r.coefficients(&m.blocks[i], &d.tokens[plane], first, int(*up+*side), &s.steps[0])
		*up = filled(end > first)
		*side = *up
		if end <= 1 && m.blocks[i][0] == 0 {
			end = 0
		}
		m.ends[i] = max(end, int(filled(m.blocks[i][0] != 0)))
		empty = empty && m.ends[i] == 0
	}
	for i := 16; i < 24; i++ {
		colour := 4 + (i-16)/4*2
		up, side := &above.filled[colour+i%2], &left.filled[colour+i/2%2]
		end := r.coefficients(&m.blocks[i], &d.tokens[2], 0, int(*up+*side), &s.steps[2])
		*up = filled(end > 0)
		*side = *up
		m.ends[i] = end
		empty = empty && end == 0
	}
	return empty
}
