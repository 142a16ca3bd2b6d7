package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeSumsAVX2 writes the dot product, and the two halves of a norm.
func writeSumsAVX2(c *build.Context) {
	writeDot(c)
	writeSquares(c)
	writeNormalize(c)
}

// writeDot adds to sixteen sums in turn, which hides half of the latency of an addition and rounds
// less than one sum.
func writeDot(c *build.Context) {
	begin(c, "dotx16", "func(x, y *float32, n int) float32", "dotx16 is dot for n scalars, a multiple of 16.")
	x := c.Load(c.Param("x"), c.GP64())
	y := c.Load(c.Param("y"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	first, second := zero(c), zero(c)
	each(c, n, 16, func() {
		a, b := c.YMM(), c.YMM()
		c.VMOVUPS(operand.Mem{Base: x}, a)
		c.VMOVUPS(operand.Mem{Base: x, Disp: 32}, b)
		c.VFMADD231PS(operand.Mem{Base: y}, a, first)
		c.VFMADD231PS(operand.Mem{Base: y, Disp: 32}, b, second)
		step(c, x, 64)
		step(c, y, 64)
	})
	c.VADDPS(second, first, first)
	sum, other := c.XMM(), c.XMM()
	c.VEXTRACTF128(operand.Imm(1), first, sum)
	c.VADDPS(first.AsX(), sum, sum)
	c.VPERMILPS(operand.Imm(0x4E), sum, other)
	c.VADDPS(other, sum, sum)
	c.VPERMILPS(operand.Imm(0xB1), sum, other)
	c.VADDPS(other, sum, sum)
	c.VMOVSS(sum, address(c.ReturnIndex(0)))
	end(c)
}

// writeSquares squares in 64 bits, where squares are exact.
func writeSquares(c *build.Context) {
	begin(c, "squaresx8", "func(x *float32, n int) float64", "squaresx8 returns the sum of the squares of n scalars, a multiple of 8.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	first, second := zero(c), zero(c)
	each(c, n, 8, func() {
		a, b := c.YMM(), c.YMM()
		c.VCVTPS2PD(operand.Mem{Base: x}, a)
		c.VCVTPS2PD(operand.Mem{Base: x, Disp: 16}, b)
		c.VFMADD231PD(a, a, first)
		c.VFMADD231PD(b, b, second)
		step(c, x, 32)
	})
	c.VADDPD(second, first, first)
	c.VMOVSD(total64(c, first), address(c.ReturnIndex(0)))
	end(c)
}

func writeNormalize(c *build.Context) {
	begin(c, "normalizex8", "func(dst, x, gain *float32, n int, inverse float64)",
		"normalizex8 writes x·inverse, rounded, times gain, for n scalars, a multiple of 8.")
	dst := c.Load(c.Param("dst"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	gain := c.Load(c.Param("gain"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	inverse := c.YMM()
	c.VBROADCASTSD(address(c.Param("inverse")), inverse)
	each(c, n, 8, func() {
		for half := range 2 {
			wide, narrow := c.YMM(), c.XMM()
			c.VCVTPS2PD(operand.Mem{Base: x, Disp: 16 * half}, wide)
			c.VMULPD(inverse, wide, wide)
			c.VCVTPD2PSY(wide, narrow)
			c.VMULPS(operand.Mem{Base: gain, Disp: 16 * half}, narrow, narrow)
			c.VMOVUPS(narrow, operand.Mem{Base: dst, Disp: 16 * half})
		}
		step(c, dst, 32)
		step(c, x, 32)
		step(c, gain, 32)
	})
	end(c)
}

func zero(c *build.Context) reg.VecVirtual {
	v := c.YMM()
	c.VXORPS(v, v, v)
	return v
}

// total64 returns the sum of four 64-bit lanes.
func total64(c *build.Context, v reg.VecVirtual) reg.VecVirtual {
	sum, other := c.XMM(), c.XMM()
	c.VEXTRACTF128(operand.Imm(1), v, sum)
	c.VADDPD(v.AsX().(reg.VecVirtual), sum, sum)
	c.VPERMILPD(operand.Imm(1), sum, other)
	c.VADDSD(other, sum, sum)
	return sum
}
