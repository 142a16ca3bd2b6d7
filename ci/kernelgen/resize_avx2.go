package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeResizeAVX2 writes the two axes of resizing, in floats and in whole numbers. Products of
// floats are rounded before they are added, as in the portable loops.
func writeResizeAVX2(c *build.Context) {
	floats := scalars{name: "", multiply: c.VMULPS, add: c.VADDPS, spread: c.VPERMPS}
	floats.widen = func(at operand.Mem, v reg.VecVirtual) {
		c.VPMOVZXBD(at, v)
		c.VCVTDQ2PS(v, v)
	}
	whole := scalars{name: "Bytes", multiply: c.VPMULLD, add: c.VPADDD, spread: c.VPERMD}
	whole.widen = func(at operand.Mem, v reg.VecVirtual) { c.VPMOVZXBD(at, v) }
	writeWeighRows(c, "func(dst *float32, rows *byte, stride int, weights *float32, count, n int)", floats)
	writeWeighRows(c, "func(dst *byte, rows *byte, stride int, weights *int32, count, n int)", whole)
	writeFilterTriples(c, "func(dst, pixels, weights *float32, windows *int, count int)", floats)
	writeFilterTriples(c, "func(dst, beside, pixels *byte, stride int, weights *int32, windows *int, count int)", whole)
}

// scalars are the operations on weights and sums.
type scalars struct {
	name                  string
	multiply, add, spread func(ops ...operand.Op)
	widen                 func(at operand.Mem, v reg.VecVirtual) // of bytes
}

// whole reports whether sums become bytes.
func (s *scalars) whole() bool { return s.name != "" }

// writeRounded makes of sums what they are in bytes, before they are packed.
func writeRounded(c *build.Context, sums ...reg.Register) {
	half := words(c, "weightHalf", 1<<(weightBits-1))
	for _, sum := range sums {
		c.VPADDD(half, sum, sum)
		c.VPSRAD(operand.Imm(weightBits), sum, sum)
	}
}

// weightBits are those after the binary point of a whole weight, as in internal/kernel/resize.go.
const weightBits = 22

// writeWeighRows keeps the sums of a cache line of each row in registers.
func writeWeighRows(c *build.Context, signature string, s scalars) {
	begin(c, "weighRows"+s.name+"x64", signature,
		"weighRows"+s.name+"x64 is weighRows"+s.name+" for count rows, at least one, of n bytes each, a multiple of 64.")
	dst := c.Load(c.Param("dst"), c.GP64())
	rows := c.Load(c.Param("rows"), c.GP64())
	stride := c.Load(c.Param("stride"), c.GP64())
	weights := c.Load(c.Param("weights"), c.GP64())
	count := c.Load(c.Param("count"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	at, weight, left := c.GP64(), c.GP64(), c.GP64()
	each(c, n, 64, func() {
		var sums [8]reg.VecVirtual
		for i := range sums {
			sums[i] = zero(c)
		}
		c.MOVQ(rows, at)
		c.MOVQ(weights, weight)
		c.MOVQ(count, left)
		c.Label("row")
		w := c.YMM()
		c.VBROADCASTSS(operand.Mem{Base: weight}, w)
		for i, sum := range sums {
			v := c.YMM()
			s.widen(operand.Mem{Base: at, Disp: 8 * i}, v)
			s.multiply(w, v, v)
			s.add(v, sum, sum)
		}
		c.ADDQ(stride, at)
		step(c, weight, 4)
		c.DECQ(left)
		c.JNE(operand.LabelRef("row"))
		if s.whole() {
			writeByteSums(c, sums, dst)
		} else {
			for i, sum := range sums {
				c.VMOVUPS(sum, operand.Mem{Base: dst, Disp: 32 * i})
			}
			c.ADDQ(operand.U32(256), dst)
		}
		step(c, rows, 64)
	})
	end(c)
}

// writeByteSums stores 64 sums as bytes, and advances dst.
func writeByteSums(c *build.Context, sums [8]reg.VecVirtual, dst reg.Register) {
	order := loaded(c, stored(c, "packed", [8]int32{0, 4, 1, 5, 2, 6, 3, 7}))
	for i := 0; i < 8; i += 4 {
		four := sums[i : i+4]
		writeRounded(c, four[0], four[1], four[2], four[3])
		c.VPACKSSDW(four[1], four[0], four[0])
		c.VPACKSSDW(four[3], four[2], four[2])
		c.VPACKUSWB(four[2], four[0], four[0])
		c.VPERMD(four[0], order, four[0])
		c.VMOVDQU(four[0], operand.Mem{Base: dst, Disp: 8 * i})
	}
	step(c, dst, 64)
}

// writeFilterTriples spreads eight weights to the 24 values of eight pixels. Those of bytes meet
// two rows.
func writeFilterTriples(c *build.Context, signature string, s scalars) {
	doc := "filterTriples" + s.name + "x8 is filterTriples" + s.name + " for count windows, at least one, of at least one group each. A window is two numbers."
	rows, size := 1, 4
	if s.whole() {
		rows, size = 2, 1
		doc += " It filters two rows, that begin stride bytes after each other, to dst and to beside."
	}
	begin(c, "filterTriples"+s.name+"x8", signature, doc)
	outputs := []reg.Register{c.Load(c.Param("dst"), c.GP64())}
	pixels := c.Load(c.Param("pixels"), c.GP64())
	weights := c.Load(c.Param("weights"), c.GP64())
	windows := c.Load(c.Param("windows"), c.GP64())
	count := c.Load(c.Param("count"), c.GP64())
	var stride reg.Register
	if rows == 2 {
		outputs = append(outputs, c.Load(c.Param("beside"), c.GP64()))
		stride = c.Load(c.Param("stride"), c.GP64())
	}
	var places [3]reg.VecVirtual
	for i := range places {
		var order [8]int32
		for j := range order {
			order[j] = int32((8*i + j) / 3)
		}
		places[i] = loaded(c, stored(c, "places"+string(rune('0'+i)), order))
	}
	at, groups := c.GP64(), c.GP64()
	c.Label("window")
	var sums [2][3]reg.VecVirtual
	for row := range rows {
		sums[row] = [3]reg.VecVirtual{zero(c), zero(c), zero(c)}
	}
	c.IMUL3Q(operand.Imm(uint64(3*size)), operand.Mem{Base: windows}, at)
	c.ADDQ(pixels, at)
	c.MOVQ(operand.Mem{Base: windows, Disp: 8}, groups)
	each(c, groups, 1, func() {
		eight := loaded(c, operand.Mem{Base: weights})
		for i := range places {
			spread := c.YMM()
			s.spread(eight, places[i], spread)
			for row := range rows {
				from, product := operand.Mem{Base: at, Disp: 8 * size * i}, c.YMM()
				if row == 1 {
					from.Index, from.Scale = stride, 1
				}
				if s.whole() {
					s.widen(from, product)
					s.multiply(spread, product, product)
				} else {
					s.multiply(from, spread, product)
				}
				s.add(product, sums[row][i], sums[row][i])
			}
		}
		step(c, weights, 32)
		step(c, at, 24*size)
	})
	for row, dst := range outputs {
		writeTriple(c, s, sums[row], dst)
		step(c, dst, 3*size)
	}
	step(c, windows, 16)
	c.DECQ(count)
	c.JNE(operand.LabelRef("window"))
	end(c)
}

// writeTriple stores the sum of eight pixels.
func writeTriple(c *build.Context, s scalars, sums [3]reg.VecVirtual, dst reg.Register) {
	first, third, fifth := c.XMM(), c.XMM(), c.XMM()
	for i, high := range []reg.VecVirtual{first, third, fifth} {
		c.VEXTRACTI128(operand.Imm(1), sums[i], high)
	}
	// Twelve values of four pixels, then those four.
	s.add(third, sums[0].AsX(), third)
	s.add(sums[2].AsX(), first, first)
	s.add(fifth, sums[1].AsX(), fifth)
	one, two := c.XMM(), c.XMM()
	c.VPALIGNR(operand.Imm(12), third, first, one)
	c.VPALIGNR(operand.Imm(8), first, fifth, two)
	c.VPSRLDQ(operand.Imm(4), fifth, fifth)
	s.add(one, third, third)
	s.add(fifth, two, two)
	s.add(two, third, third)
	if s.whole() {
		writeRounded(c, third)
		c.VPACKSSDW(third, third, third)
		c.VPACKUSWB(third, third, third)
		c.VPEXTRW(operand.Imm(0), third, operand.Mem{Base: dst})
		c.VPEXTRB(operand.Imm(2), third, operand.Mem{Base: dst, Disp: 2})
	} else {
		c.VMOVLPS(third, operand.Mem{Base: dst})
		c.VEXTRACTPS(operand.Imm(2), third, operand.Mem{Base: dst, Disp: 8})
	}
}
