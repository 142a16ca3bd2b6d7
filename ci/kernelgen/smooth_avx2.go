package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeSmoothAVX2 writes VP8's filters of edges. A register has the samples of sixteen places at
// one distance from the edge, in 16 bits.
func writeSmoothAVX2(c *build.Context) {
	for _, upright := range []bool{false, true} {
		for _, outer := range []bool{false, true} {
			name := "smooth" + map[bool]string{false: "Flat", true: "Upright"}[upright] + map[bool]string{false: "Inner", true: "Outer"}[outer]
			begin(c, name, "func(first, second *byte, stride int, limit, inner, variance uint16)", name+" is smooth for such edges.")
			first := c.Load(c.Param("first"), c.GP64())
			second := c.Load(c.Param("second"), c.GP64())
			stride := c.Load(c.Param("stride"), c.GP64())
			three := c.GP64()
			c.LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, three)
			s := &smoothing{c: c, stride: stride, three: three}
			s.blocks[0] = [2]reg.Register{first, s.fourth(first)}
			s.blocks[1] = [2]reg.Register{second, s.fourth(second)}
			if upright {
				s.loadColumns()
			} else {
				s.loadRows()
			}
			s.smooth(outer)
			if upright {
				s.storeColumns()
			} else {
				s.storeRows(outer)
			}
			end(c)
		}
	}
}

// smoothing is two blocks of eight by eight samples, with an edge in their middle.
type smoothing struct {
	c             *build.Context
	stride, three reg.Register
	blocks        [2][2]reg.Register // the rows 0 and 4 of each
	samples       [8]reg.VecVirtual  // p3 … p0, q0 … q3
}

// fourth returns the row that is four below.
func (s *smoothing) fourth(row reg.Register) reg.Register {
	below := s.c.GP64()
	s.c.LEAQ(operand.Mem{Base: row, Index: s.stride, Scale: 4}, below)
	return below
}

func (s *smoothing) row(block, row int) operand.Mem {
	at := operand.Mem{Base: s.blocks[block][row/4]}
	switch row % 4 {
	case 1, 2:
		at.Index, at.Scale = s.stride, uint8(row%4)
	case 3:
		at.Index, at.Scale = s.three, 1
	}
	return at
}

func (s *smoothing) loadRows() {
	for i := range s.samples {
		both := s.c.XMM()
		s.c.VMOVQ(s.row(0, i), both)
		s.c.VMOVHPS(s.row(1, i), both, both)
		s.samples[i] = s.c.YMM()
		s.c.VPMOVZXBW(both, s.samples[i])
	}
}

// packed returns the sixteen bytes of a sample.
func (s *smoothing) packed(i int) reg.VecVirtual {
	bytes := s.c.XMM()
	s.c.VEXTRACTI128(operand.Imm(1), s.samples[i], bytes)
	s.c.VPACKUSWB(bytes, s.samples[i].AsX(), bytes)
	return bytes
}

// storeRows stores the samples that may have changed.
func (s *smoothing) storeRows(outer bool) {
	from, to := 2, 6
	if outer {
		from, to = 1, 7
	}
	for i := from; i < to; i++ {
		bytes := s.packed(i)
		s.c.VMOVQ(bytes, s.row(0, i))
		s.c.VMOVHPS(bytes, s.row(1, i))
	}
}

// pairs interleaves registers two by two: the low halves, and the high ones.
func (s *smoothing) pairs(low, high func(ops ...operand.Op), a, b reg.VecVirtual) (reg.VecVirtual, reg.VecVirtual) {
	first, second := s.c.XMM(), s.c.XMM()
	low(b, a, first)
	high(b, a, second)
	return first, second
}

// loadColumns transposes each block: pairs of rows, fours, eights, and both blocks.
func (s *smoothing) loadColumns() {
	var columns [2][4]reg.VecVirtual // two each
	for block := range columns {
		var twos [4]reg.VecVirtual
		for i := range twos {
			a, b := s.c.XMM(), s.c.XMM()
			s.c.VMOVQ(s.row(block, 2*i), a)
			s.c.VMOVQ(s.row(block, 2*i+1), b)
			twos[i] = a
			s.c.VPUNPCKLBW(b, a, a)
		}
		left, right := s.pairs(s.c.VPUNPCKLWD, s.c.VPUNPCKHWD, twos[0], twos[1])
		left2, right2 := s.pairs(s.c.VPUNPCKLWD, s.c.VPUNPCKHWD, twos[2], twos[3])
		columns[block][0], columns[block][1] = s.pairs(s.c.VPUNPCKLDQ, s.c.VPUNPCKHDQ, left, left2)
		columns[block][2], columns[block][3] = s.pairs(s.c.VPUNPCKLDQ, s.c.VPUNPCKHDQ, right, right2)
	}
	for i := range 4 {
		even, odd := s.pairs(s.c.VPUNPCKLQDQ, s.c.VPUNPCKHQDQ, columns[0][i], columns[1][i])
		for j, bytes := range []reg.VecVirtual{even, odd} {
			s.samples[2*i+j] = s.c.YMM()
			s.c.VPMOVZXBW(bytes, s.samples[2*i+j])
		}
	}
}

// storeColumns undoes loadColumns.
func (s *smoothing) storeColumns() {
	var twos [2][4]reg.VecVirtual // of both blocks
	for i := range 4 {
		twos[0][i], twos[1][i] = s.pairs(s.c.VPUNPCKLBW, s.c.VPUNPCKHBW, s.packed(2*i), s.packed(2*i+1))
	}
	for block := range twos {
		t := twos[block]
		upper, lower := s.pairs(s.c.VPUNPCKLWD, s.c.VPUNPCKHWD, t[0], t[1])
		upper2, lower2 := s.pairs(s.c.VPUNPCKLWD, s.c.VPUNPCKHWD, t[2], t[3])
		var rows [4]reg.VecVirtual // two each
		rows[0], rows[1] = s.pairs(s.c.VPUNPCKLDQ, s.c.VPUNPCKHDQ, upper, upper2)
		rows[2], rows[3] = s.pairs(s.c.VPUNPCKLDQ, s.c.VPUNPCKHDQ, lower, lower2)
		for i, v := range rows {
			s.c.VMOVQ(v, s.row(block, 2*i))
			s.c.VMOVHPS(v, s.row(block, 2*i+1))
		}
	}
}

func (s *smoothing) both(v int16) int32 { return int32(v)<<16 | int32(uint16(v)) }

// distance returns how far two samples are apart.
func (s *smoothing) distance(i, j int) reg.VecVirtual {
	v := s.c.YMM()
	s.c.VPSUBW(s.samples[i], s.samples[j], v)
	s.c.VPABSW(v, v)
	return v
}

// clamped keeps v between -most-1 and most.
func (s *smoothing) clamped(v reg.VecVirtual, name string, most int16) {
	s.c.VPMINSW(words(s.c, name+"Most", s.both(most)), v, v)
	s.c.VPMAXSW(words(s.c, name+"Least", s.both(-most-1)), v, v)
}

// smooth changes the samples, as smoothPortable does, where they are near enough to each other.
func (s *smoothing) smooth(outer bool) {
	c := s.c
	const p3, p2, p1, p0, q0, q1, q2, q3 = 0, 1, 2, 3, 4, 5, 6, 7
	// edgy is all ones where nothing changes, and varied where the samples beside the edge differ.
	edgy, most, varied := s.distance(p0, q0), s.distance(p1, p0), s.distance(q1, q0)
	c.VPSLLW(operand.Imm(2), edgy, edgy)
	c.VPADDW(s.distance(p1, q1), edgy, edgy)
	c.VPCMPGTW(broadcastWord(c, "limit"), edgy, edgy)
	c.VPMAXSW(varied, most, most)
	c.VPCMPGTW(broadcastWord(c, "variance"), most, varied)
	for _, pair := range [][2]int{{p3, p2}, {p2, p1}, {q2, q1}, {q3, q2}} {
		c.VPMAXSW(s.distance(pair[0], pair[1]), most, most)
	}
	c.VPCMPGTW(broadcastWord(c, "inner"), most, most)
	c.VPOR(most, edgy, edgy)

	a, step := c.YMM(), c.YMM()
	c.VPSUBW(s.samples[q1], s.samples[p1], a)
	s.clamped(a, "byte", 127)
	if !outer {
		c.VPAND(varied, a, a)
	}
	c.VPSUBW(s.samples[p0], s.samples[q0], step)
	c.VPADDW(step, a, a)
	c.VPADDW(step, step, step)
	c.VPADDW(step, a, a)
	s.clamped(a, "byte", 127)
	c.VPANDN(a, edgy, a)
	shifted := func(v reg.VecVirtual, name string, add int16, down uint64) reg.VecVirtual {
		moved := c.YMM()
		c.VPADDW(words(c, name, s.both(add)), v, moved)
		c.VPSRAW(operand.Imm(down), moved, moved)
		return moved
	}
	change := func(p, q int, toP, toQ reg.VecVirtual) {
		c.VPADDW(toP, s.samples[p], s.samples[p])
		c.VPSUBW(toQ, s.samples[q], s.samples[q])
	}
	near := a
	if outer {
		near = c.YMM()
		c.VPAND(varied, a, near)
	}
	toQ, toP := shifted(near, "four", 4, 3), shifted(near, "three", 3, 3)
	s.clamped(toQ, "few", 15)
	s.clamped(toP, "few", 15)
	change(p0, q0, toP, toQ)
	if !outer {
		half := shifted(toQ, "one", 1, 1)
		c.VPANDN(half, varied, half)
		change(p1, q1, half, half)
		return
	}
	c.VPANDN(a, varied, a)
	nines := c.YMM()
	c.VPMULLW(words(c, "nine", s.both(9)), a, nines)
	sum := c.YMM()
	c.VPADDW(words(c, "sixtyThree", s.both(63)), nines, sum)
	for i := range 3 {
		moved := c.YMM()
		c.VPSRAW(operand.Imm(7), sum, moved)
		change(p2+i, q2-i, moved, moved)
		if i < 2 {
			c.VPADDW(nines, sum, sum)
		}
	}
}
