package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeResizeAVX2 writes the two axes of resizing in floats. Products are rounded before they are
// added, as in the portable loops.
func writeResizeAVX2(c *build.Context) {
	writeWeighRows(c)
	writeFilterTriples(c)
}

// writeWeighRows keeps the sums of a cache line of each row in registers.
func writeWeighRows(c *build.Context) {
	begin(c, "weighRowsx64", "func(dst *float32, rows *byte, stride int, weights *float32, count, n int)",
		"weighRowsx64 is weighRows for count rows, at least one, of n bytes each, a multiple of 64.")
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
			c.VPMOVZXBD(operand.Mem{Base: at, Disp: 8 * i}, v)
			c.VCVTDQ2PS(v, v)
			c.VMULPS(w, v, v)
			c.VADDPS(v, sum, sum)
		}
		c.ADDQ(stride, at)
		step(c, weight, 4)
		c.DECQ(left)
		c.JNE(operand.LabelRef("row"))
		for i, sum := range sums {
			c.VMOVUPS(sum, operand.Mem{Base: dst, Disp: 32 * i})
		}
		step(c, rows, 64)
		c.ADDQ(operand.U32(256), dst)
	})
	end(c)
}

// writeFilterTriples spreads eight weights to the 24 values of eight pixels.
func writeFilterTriples(c *build.Context) {
	begin(c, "filterTriplesx8", "func(dst, pixels, weights *float32, windows *int, count int)",
		"filterTriplesx8 is filterTriples for count windows, at least one, of at least one group each. A window is two numbers.")
	dst := c.Load(c.Param("dst"), c.GP64())
	pixels := c.Load(c.Param("pixels"), c.GP64())
	weights := c.Load(c.Param("weights"), c.GP64())
	windows := c.Load(c.Param("windows"), c.GP64())
	count := c.Load(c.Param("count"), c.GP64())
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
	sums := [3]reg.VecVirtual{zero(c), zero(c), zero(c)}
	c.IMUL3Q(operand.Imm(12), operand.Mem{Base: windows}, at)
	c.ADDQ(pixels, at)
	c.MOVQ(operand.Mem{Base: windows, Disp: 8}, groups)
	each(c, groups, 1, func() {
		eight := loaded(c, operand.Mem{Base: weights})
		for i, sum := range sums {
			v := c.YMM()
			c.VPERMPS(eight, places[i], v)
			c.VMULPS(operand.Mem{Base: at, Disp: 32 * i}, v, v)
			c.VADDPS(v, sum, sum)
		}
		step(c, weights, 32)
		step(c, at, 96)
	})
	first, third, fifth := c.XMM(), c.XMM(), c.XMM()
	for i, high := range []reg.VecVirtual{first, third, fifth} {
		c.VEXTRACTF128(operand.Imm(1), sums[i], high)
	}
	// Twelve values of four pixels, then those four.
	c.VADDPS(third, sums[0].AsX(), third)
	c.VADDPS(sums[2].AsX(), first, first)
	c.VADDPS(fifth, sums[1].AsX(), fifth)
	one, two := c.XMM(), c.XMM()
	c.VPALIGNR(operand.Imm(12), third, first, one)
	c.VPALIGNR(operand.Imm(8), first, fifth, two)
	c.VPSRLDQ(operand.Imm(4), fifth, fifth)
	c.VADDPS(one, third, third)
	c.VADDPS(fifth, two, two)
	c.VADDPS(two, third, third)
	c.VMOVLPS(third, operand.Mem{Base: dst})
	c.VEXTRACTPS(operand.Imm(2), third, operand.Mem{Base: dst, Disp: 8})
	step(c, dst, 12)
	step(c, windows, 16)
	c.DECQ(count)
	c.JNE(operand.LabelRef("window"))
	end(c)
}
