package vp8

// spread makes the first coefficients of the blocks of luma from those that are coded apart, by the
// inverse Walsh-Hadamard transform.
func (m *macroblock) spread(end int) {
	in := &m.blocks[24]
	if end <= 1 {
		v := int16((int32(in[0]) + 3) >> 3)
		for i := range 16 {
			m.blocks[i][0] = v
		}
		return
	}
	var half [16]int32
	for i := range 4 {
		a, b, c, d := int32(in[i]), int32(in[4+i]), int32(in[8+i]), int32(in[12+i])
		half[i], half[8+i] = a+d+b+c, a+d-b-c
		half[4+i], half[12+i] = a-d+b-c, a-d-b+c
	}
	for i := range 4 {
		h := half[4*i:][:4]
		a, d := h[0]+3+h[3], h[0]+3-h[3]
		b, c := h[1]+h[2], h[1]-h[2]
		m.blocks[4*i][0], m.blocks[4*i+1][0] = int16((a+b)>>3), int16((d+c)>>3)
		m.blocks[4*i+2][0], m.blocks[4*i+3][0] = int16((a-b)>>3), int16((d-c)>>3)
	}
}

// add adds a block's residues to four rows of samples, by the inverse cosine transform.
func add(samples []byte, stride int, in *[16]int16, end int) {
	switch {
	case end == 0:
		return
	case end == 1:
		v := (int32(in[0]) + 4) >> 3
		for y := range 4 {
			row := samples[y*stride:][:4]
			for x, s := range row {
				row[x] = clamp(int32(s) + v)
			}
		}
		return
	}
	long := func(v int32) int32 { return v * 85627 >> 16 }
	short := func(v int32) int32 { return v * 35468 >> 16 }
	var half [16]int32
	for i := range 4 {
		p, q, r, s := int32(in[i]), int32(in[4+i]), int32(in[8+i]), int32(in[12+i])
		a, b, c, d := p+r, p-r, short(q)-long(s), long(q)+short(s)
		half[4*i], half[4*i+1], half[4*i+2], half[4*i+3] = a+d, b+c, b-c, a-d
	}
	for i := range 4 {
		p, q, r, s := half[i]+4, half[4+i], half[8+i], half[12+i]
		a, b, c, d := p+r, p-r, short(q)-long(s), long(q)+short(s)
		row := samples[i*stride:][:4]
		row[0], row[1] = clamp(int32(row[0])+(a+d)>>3), clamp(int32(row[1])+(b+c)>>3)
		row[2], row[3] = clamp(int32(row[2])+(b-c)>>3), clamp(int32(row[3])+(a-d)>>3)
	}
}

func clamp(v int32) byte { return byte(min(max(v, 0), 255)) }
