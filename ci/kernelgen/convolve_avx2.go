package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeConvolveAVX2 writes the filter of resampling.
func writeConvolveAVX2(c *build.Context) {
	begin(c, "convolvex32", "func(dst, samples, table *float32, taps, phases, phase, step, rest, count int)",
		"convolvex32 is convolve for count outputs, at least one, of a table of so many phases. taps is a multiple of 32.")
	dst := c.Load(c.Param("dst"), c.GP64())
	samples := c.Load(c.Param("samples"), c.GP64())
	table := c.Load(c.Param("table"), c.GP64())
	taps := c.Load(c.Param("taps"), c.GP64())
	// Phases are counted in bytes of the table.
	phases := c.Load(c.Param("phases"), c.GP64())
	phase := c.Load(c.Param("phase"), c.GP64())
	step := c.Load(c.Param("step"), c.GP64())
	rest := c.Load(c.Param("rest"), c.GP64())
	for _, v := range []reg.Register{phases, phase, rest} {
		c.IMULQ(taps, v)
		c.SHLQ(operand.Imm(2), v)
	}
	count := c.Load(c.Param("count"), c.GP64())
	at, from, left := c.GP64(), c.GP64(), c.GP64()
	c.Label("output")
	sums := [4]reg.VecVirtual{zero(c), zero(c), zero(c), zero(c)}
	c.LEAQ(operand.Mem{Base: table, Index: phase, Scale: 1}, at)
	c.MOVQ(samples, from)
	c.MOVQ(taps, left)
	c.Label("taps")
	for i, sum := range sums {
		v := c.YMM()
		c.VMOVUPS(operand.Mem{Base: at, Disp: 32 * i}, v)
		c.VFMADD231PS(operand.Mem{Base: from, Disp: 32 * i}, v, sum)
	}
	c.SUBQ(operand.I8(-128), at)
	c.SUBQ(operand.I8(-128), from)
	c.SUBQ(operand.Imm(32), left)
	c.JG(operand.LabelRef("taps"))
	c.VADDPS(sums[1], sums[0], sums[0])
	c.VADDPS(sums[3], sums[2], sums[2])
	c.VADDPS(sums[2], sums[0], sums[0])
	c.VMOVSS(reduced(c, sums[0], c.VADDPS), operand.Mem{Base: dst})
	c.ADDQ(operand.Imm(4), dst)
	c.LEAQ(operand.Mem{Base: samples, Index: step, Scale: 4}, samples)
	c.ADDQ(rest, phase)
	c.CMPQ(phase, phases)
	c.JL(operand.LabelRef("within"))
	c.SUBQ(phases, phase)
	c.ADDQ(operand.Imm(4), samples)
	c.Label("within")
	c.DECQ(count)
	c.JNE(operand.LabelRef("output"))
	end(c)
}
