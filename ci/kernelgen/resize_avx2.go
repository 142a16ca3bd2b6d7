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
	writeTriplesDot(c)
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

// writeTriplesDot spreads eight weights to the 24 values of eight pixels.
func writeTriplesDot(c *build.Context) {
	begin(c, "dotTriplesx8", "func(sums, weights, pixels *float32, n int)",
		"dotTriplesx8 is the sums of dotTriples for n pixels, a multiple of 8: 24 of them.")
	sums := c.Load(c.Param("sums"), c.GP64())
	weights := c.Load(c.Param("weights"), c.GP64())
	pixels := c.Load(c.Param("pixels"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	var places, lanes [3]reg.VecVirtual
	for i := range places {
		var order [8]int32
		for j := range order {
			order[j] = int32((8*i + j) / 3)
		}
		places[i], lanes[i] = loaded(c, stored(c, "places"+string(rune('0'+i)), order)), zero(c)
	}
	each(c, n, 8, func() {
		eight := loaded(c, operand.Mem{Base: weights})
		for i, lane := range lanes {
			v := c.YMM()
			c.VPERMPS(eight, places[i], v)
			c.VMULPS(operand.Mem{Base: pixels, Disp: 32 * i}, v, v)
			c.VADDPS(v, lane, lane)
		}
		step(c, weights, 32)
		step(c, pixels, 96)
	})
	for i, lane := range lanes {
		c.VMOVUPS(lane, operand.Mem{Base: sums, Disp: 32 * i})
	}
	end(c)
}
