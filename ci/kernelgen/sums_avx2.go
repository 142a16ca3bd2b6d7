package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeSumsAVX2 writes the dot product, and the parts of norms.
func writeSumsAVX2(c *build.Context) {
	writeDot(c)
	writeSquares(c)
	writeNormalize(c)
	writeSum(c)
	writeDeviations(c)
	writeStandardize(c)
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

// writeSum adds in 64 bits, to four sums of four lanes.
func writeSum(c *build.Context) {
	begin(c, "sumx16", "func(x *float32, n int) float64", "sumx16 returns the sum of n scalars, a multiple of 16.")
	fourSums(c, func(v, sum reg.VecVirtual) { c.VADDPD(v, sum, sum) })
}

func writeDeviations(c *build.Context) {
	begin(c, "deviationsx16", "func(x *float32, n int, mean float64) float64", "deviationsx16 returns the sum of (x−mean)² of n scalars, a multiple of 16.")
	mean := c.YMM()
	c.VBROADCASTSD(address(c.Param("mean")), mean)
	fourSums(c, func(v, sum reg.VecVirtual) {
		c.VSUBPD(mean, v, v)
		c.VFMADD231PD(v, v, sum)
	})
}

// fourSums writes the rest of a routine that calls add for each four scalars, in 64 bits, and
// returns the total.
func fourSums(c *build.Context, add func(v, sum reg.VecVirtual)) {
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	sums := [4]reg.VecVirtual{zero(c), zero(c), zero(c), zero(c)}
	each(c, n, 16, func() {
		for i, sum := range sums {
			v := c.YMM()
			c.VCVTPS2PD(operand.Mem{Base: x, Disp: 16 * i}, v)
			add(v, sum)
		}
		step(c, x, 64)
	})
	c.VADDPD(sums[1], sums[0], sums[0])
	c.VADDPD(sums[3], sums[2], sums[2])
	c.VADDPD(sums[2], sums[0], sums[0])
	c.VMOVSD(total64(c, sums[0]), address(c.ReturnIndex(0)))
	end(c)
}

const standardizeSignature = "func(dst, x, gain, bias *float32, n int, mean, inverse float64)"

func writeStandardize(c *build.Context) {
	begin(c, "standardizex8", standardizeSignature, "standardizex8 is standardize for n scalars, a multiple of 8. gain and bias may be nil.")
	mean, inverse := c.YMM(), c.YMM()
	c.VBROADCASTSD(address(c.Param("mean")), mean)
	c.VBROADCASTSD(address(c.Param("inverse")), inverse)
	standardize(c, func(x operand.Mem) reg.VecVirtual {
		var halves [2]reg.VecVirtual
		for half := range halves {
			wide, narrow := c.YMM(), c.XMM()
			c.VCVTPS2PD(x.Offset(16*half), wide)
			c.VSUBPD(mean, wide, wide)
			c.VMULPD(inverse, wide, wide)
			c.VCVTPD2PSY(wide, narrow)
			halves[half] = narrow
		}
		all := c.YMM()
		c.VINSERTF128(operand.Imm(1), halves[1], halves[0].AsY(), all)
		return all
	})
}

// standardize writes the rest of a routine that replaces eight scalars by what scaled returns,
// times gain, plus bias. The two branches go the same way each time.
func standardize(c *build.Context, scaled func(x operand.Mem) reg.VecVirtual) {
	dst := c.Load(c.Param("dst"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	gain := c.Load(c.Param("gain"), c.GP64())
	bias := c.Load(c.Param("bias"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	at := c.GP64()
	c.XORQ(at, at)
	eighth := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: at, Scale: 4} }
	each(c, n, 8, func() {
		v := scaled(eighth(x))
		c.TESTQ(gain, gain)
		c.JEQ(operand.LabelRef("scaled"))
		c.VMULPS(eighth(gain), v, v)
		c.Label("scaled")
		c.TESTQ(bias, bias)
		c.JEQ(operand.LabelRef("shifted"))
		c.VADDPS(eighth(bias), v, v)
		c.Label("shifted")
		c.VMOVUPS(v, eighth(dst))
		step(c, at, 8)
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
