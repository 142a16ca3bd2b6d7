package vp8

// predict makes the samples of a macroblock.
func (d *decoder) predict(x, y int) {
	m, luma := &d.m, &d.planes[0]
	at := luma.first + 16*(y*luma.stride+x)
	if m.own {
		// The blocks on the right are predicted from above the next macroblock, in all rows.
		right := [4]byte(luma.samples[at-luma.stride+16:])
		for i, mode := range m.modes {
			corner := at + i/4*4*luma.stride + i%4*4
			beside := right
			if i%4 < 3 {
				beside = [4]byte(luma.samples[corner-luma.stride+4:])
			}
			luma.predict4(corner, mode, beside)
			add(luma.samples[corner:], luma.stride, &m.blocks[i], m.ends[i])
		}
	} else {
		luma.square(at, 16, m.mode, x > 0, y > 0)
		for i := range 16 {
			add(luma.samples[at+i/4*4*luma.stride+i%4*4:], luma.stride, &m.blocks[i], m.ends[i])
		}
	}
	for c := 1; c < 3; c++ {
		p := &d.planes[c]
		at := p.first + 8*(y*p.stride+x)
		p.square(at, 8, m.colour, x > 0, y > 0)
		for i := range 4 {
			block := 12 + 4*c + i
			add(p.samples[at+i/2*4*p.stride+i%2*4:], p.stride, &m.blocks[block], m.ends[block])
		}
	}
}

// square predicts all samples of a macroblock, which has a macroblock on its left and one above it,
// or is at the edge there.
func (p *plane) square(at, side int, mode uint8, left, above bool) {
	up := p.samples[at-p.stride:][:side]
	switch mode {
	case modeDC:
		sum, count := side, 0
		if above {
			for _, v := range up {
				sum += int(v)
			}
			count++
		}
		if left {
			for y := range side {
				sum += int(p.samples[at+y*p.stride-1])
			}
			count++
		}
		mean := 128
		switch count {
		case 1:
			mean = (sum - side/2) / side
		case 2:
			mean = sum / (2 * side)
		}
		for y := range side {
			p.fill(at+y*p.stride, side, byte(mean))
		}
	case modeVE:
		for y := range side {
			copy(p.samples[at+y*p.stride:][:side], up)
		}
	case modeHE:
		for y := range side {
			p.fill(at+y*p.stride, side, p.samples[at+y*p.stride-1])
		}
	default:
		corner := int32(p.samples[at-p.stride-1])
		for y := range side {
			change := int32(p.samples[at+y*p.stride-1]) - corner
			row := p.samples[at+y*p.stride:][:side]
			for x, v := range up {
				row[x] = clamp(int32(v) + change)
			}
		}
	}
}

func (p *plane) fill(at, count int, v byte) {
	row := p.samples[at:][:count]
	for x := range row {
		row[x] = v
	}
}
