package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeVectorAVX512 writes the routines that AVX-512 makes faster: those over long rows. Each takes
// any number of scalars, the last ones under a mask.
func writeVectorAVX512(c *build.Context) {
	writeLargest512(c)
	writeSoftmax512(c)
	writeSquares512(c)
	writeNormalize512(c)
	writeSum512(c)
	writeDeviations512(c)
	writeStandardize512(c)
}

// vectors calls body for every vector of n scalars, lanes at a time, and once more, with a mask,
// for the rest.
func vectors(c *build.Context, n reg.GPVirtual, lanes int, body func(mask reg.Register)) {
	c.SUBQ(operand.Imm(uint64(lanes)), n)
	c.JLT(operand.LabelRef("rest"))
	c.Label("whole")
	body(nil)
	c.SUBQ(operand.Imm(uint64(lanes)), n)
	c.JGE(operand.LabelRef("whole"))
	c.Label("rest")
	c.ADDQ(operand.Imm(uint64(lanes)), n)
	c.JEQ(operand.LabelRef("done"))
	bits, mask := c.GP32(), c.K()
	c.MOVL(operand.U32(math.MaxUint32), bits)
	c.BZHIL(n.As32(), bits, bits)
	c.KMOVW(bits, mask)
	body(mask)
	c.Label("done")
}

// load reads a vector, with zeroes in masked lanes.
func load(c *build.Context, from operand.Mem, mask reg.Register, to reg.Register) {
	if mask == nil {
		c.VMOVUPS(from, to)
	} else {
		c.VMOVUPS_Z(from, mask, to)
	}
}

func save(c *build.Context, from reg.Register, mask reg.Register, to operand.Mem) {
	if mask == nil {
		c.VMOVUPS(from, to)
	} else {
		c.VMOVUPS(from, mask, to)
	}
}

// everywhere returns a register with v in each lane.
func everywhere(c *build.Context, v float32) reg.VecVirtual {
	name := fmt.Sprintf("wide%08x", math.Float32bits(v))
	if _, there := constants[name]; !there {
		constants[name] = c.StaticGlobal(name)
		c.DataAttributes(attr.RODATA | attr.NOPTR)
		c.AddDatum(0, operand.U32(math.Float32bits(v)))
	}
	all := c.ZMM()
	c.VBROADCASTSS(constants[name], all)
	return all
}

func broadcastParam512(c *build.Context, name string) reg.VecVirtual {
	all := c.ZMM()
	c.VBROADCASTSS(address(c.Param(name)), all)
	return all
}

func zero512(c *build.Context) reg.VecVirtual {
	v := c.ZMM()
	c.VPXORD(v, v, v)
	return v
}

// exponential512 returns a function that replaces x by eˣ, with the operations of exponential, and
// so its bits. The constants stay in registers, of which there are enough.
func exponential512(c *build.Context, positive bool) func(x reg.VecVirtual) {
	lowest := everywhere(c, -87.3)
	var highest, infinity reg.VecVirtual
	if positive {
		highest, infinity = everywhere(c, 88.3), everywhere(c, float32(math.Inf(1)))
	}
	rounder, log2e := everywhere(c, 12582912), everywhere(c, 1.44269504)
	ln2High, ln2Low, one := everywhere(c, 0.693359375), everywhere(c, -2.12194440e-4), everywhere(c, 1)
	var terms []reg.VecVirtual
	for _, term := range []float32{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1} {
		terms = append(terms, everywhere(c, term))
	}
	return func(x reg.VecVirtual) {
		above, large := c.K(), c.K()
		c.VCMPPS(operand.Imm(5), lowest, x, above) // not less than, or not a number
		if positive {
			c.VCMPPS(operand.Imm(14), highest, x, large) // greater than
		}
		shifted, n, p, square := c.ZMM(), c.ZMM(), c.ZMM(), c.ZMM()
		c.VMOVAPS(log2e, shifted)
		c.VFMADD213PS(rounder, x, shifted)
		c.VSUBPS(rounder, shifted, n)
		c.VFNMADD231PS(ln2High, n, x)
		c.VFNMADD231PS(ln2Low, n, x)
		c.VMOVAPS(terms[0], p)
		for _, term := range terms[1:] {
			c.VFMADD213PS(term, x, p)
		}
		c.VMULPS(x, x, square)
		c.VFMADD213PS(x, square, p)
		c.VADDPS(one, p, p)
		c.VPSLLD(operand.Imm(23), shifted, shifted)
		c.VPADDD(one, shifted, shifted)
		c.VMULPS_Z(shifted, p, above, x)
		if positive {
			c.VMOVAPS(infinity, large, x)
		}
	}
}

func writeLargest512(c *build.Context) {
	begin(c, "largest512", "func(x *float32, n int) float32", "largest512 returns the largest of n scalars, at least one. A NaN may be ignored.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64()).(reg.GPVirtual)
	largest := everywhere(c, float32(math.Inf(-1)))
	vectors(c, n, 16, func(mask reg.Register) {
		if mask == nil {
			c.VMAXPS(operand.Mem{Base: x}, largest, largest)
		} else {
			c.VMAXPS(operand.Mem{Base: x}, largest, mask, largest)
		}
		step(c, x, 64)
	})
	high, one, other := c.YMM(), c.XMM(), c.XMM()
	c.VEXTRACTF64X4(operand.Imm(1), largest, high)
	c.VMAXPS(largest.AsY(), high, high)
	c.VEXTRACTF128(operand.Imm(1), high, one)
	c.VMAXPS(high.AsX(), one, one)
	c.VPERMILPS(operand.Imm(0x4E), one, other)
	c.VMAXPS(other, one, one)
	c.VPERMILPS(operand.Imm(0xB1), one, other)
	c.VMAXPS(other, one, one)
	c.VMOVSS(one, address(c.ReturnIndex(0)))
	end(c)
}

func writeSoftmax512(c *build.Context) {
	begin(c, "exponentials512", "func(x *float32, n int, largest, scale float32) float32",
		"exponentials512 replaces n scalars by the exponentials of (x−largest)·scale, and returns their sum.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64()).(reg.GPVirtual)
	largest, scale := broadcastParam512(c, "largest"), broadcastParam512(c, "scale")
	sum := zero512(c)
	raise := exponential512(c, false)
	vectorsInterleaved(c, x, n, 3, func(at operand.Mem, mask reg.Register) {
		v := c.ZMM()
		load(c, at, mask, v)
		c.VSUBPS(largest, v, v)
		c.VMULPS(scale, v, v)
		raise(v)
		save(c, v, mask, at)
		if mask == nil {
			c.VADDPS(v, sum, sum)
		} else {
			c.VADDPS(v, sum, mask, sum)
		}
	})
	high, one, other := c.YMM(), c.XMM(), c.XMM()
	c.VEXTRACTF64X4(operand.Imm(1), sum, high)
	c.VADDPS(sum.AsY(), high, high)
	c.VEXTRACTF128(operand.Imm(1), high, one)
	c.VADDPS(high.AsX(), one, one)
	c.VPERMILPS(operand.Imm(0x4E), one, other)
	c.VADDPS(other, one, one)
	c.VPERMILPS(operand.Imm(0xB1), one, other)
	c.VADDPS(other, one, one)
	c.VMOVSS(one, address(c.ReturnIndex(0)))
	end(c)
}

func writeSquares512(c *build.Context) {
	begin(c, "squares512", "func(x *float32, n int) float64", "squares512 returns the sum of the squares of n scalars, a multiple of 16.")
	twoSums(c, func(v, sum reg.VecVirtual) { c.VFMADD231PD(v, v, sum) })
}

func writeSum512(c *build.Context) {
	begin(c, "sum512", "func(x *float32, n int) float64", "sum512 returns the sum of n scalars, a multiple of 16.")
	twoSums(c, func(v, sum reg.VecVirtual) { c.VADDPD(v, sum, sum) })
}

func writeDeviations512(c *build.Context) {
	begin(c, "deviations512", "func(x *float32, n int, mean float64) float64", "deviations512 returns the sum of (x−mean)² of n scalars, a multiple of 16.")
	mean := c.ZMM()
	c.VBROADCASTSD(address(c.Param("mean")), mean)
	twoSums(c, func(v, sum reg.VecVirtual) {
		c.VSUBPD(mean, v, v)
		c.VFMADD231PD(v, v, sum)
	})
}

// twoSums writes the rest of a routine that calls add for each eight scalars, in 64 bits, and
// returns the total.
func twoSums(c *build.Context, add func(v, sum reg.VecVirtual)) {
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	first, second := zero512(c), zero512(c)
	each(c, n, 16, func() {
		a, b := c.ZMM(), c.ZMM()
		c.VCVTPS2PD(operand.Mem{Base: x}, a)
		c.VCVTPS2PD(operand.Mem{Base: x, Disp: 32}, b)
		add(a, first)
		add(b, second)
		step(c, x, 64)
	})
	c.VADDPD(second, first, first)
	half := c.YMM()
	c.VEXTRACTF64X4(operand.Imm(1), first, half)
	c.VADDPD(first.AsY(), half, half)
	c.VMOVSD(total64(c, half), address(c.ReturnIndex(0)))
	end(c)
}

func writeNormalize512(c *build.Context) {
	begin(c, "normalize512", "func(dst, x, gain *float32, n int, inverse float64)",
		"normalize512 writes x·inverse, rounded, times gain, for n scalars, a multiple of 8.")
	dst := c.Load(c.Param("dst"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	gain := c.Load(c.Param("gain"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	inverse := c.ZMM()
	c.VBROADCASTSD(address(c.Param("inverse")), inverse)
	each(c, n, 8, func() {
		wide, narrow := c.ZMM(), c.YMM()
		c.VCVTPS2PD(operand.Mem{Base: x}, wide)
		c.VMULPD(inverse, wide, wide)
		c.VCVTPD2PS(wide, narrow)
		c.VMULPS(operand.Mem{Base: gain}, narrow, narrow)
		c.VMOVUPS(narrow, operand.Mem{Base: dst})
		step(c, dst, 32)
		step(c, x, 32)
		step(c, gain, 32)
	})
	end(c)
}

func writeStandardize512(c *build.Context) {
	begin(c, "standardize512", standardizeSignature, "standardize512 is standardize for n scalars, a multiple of 8. gain and bias may be nil.")
	mean, inverse := c.ZMM(), c.ZMM()
	c.VBROADCASTSD(address(c.Param("mean")), mean)
	c.VBROADCASTSD(address(c.Param("inverse")), inverse)
	standardize(c, func(x operand.Mem) reg.VecVirtual {
		wide, narrow := c.ZMM(), c.YMM()
		c.VCVTPS2PD(x, wide)
		c.VSUBPD(mean, wide, wide)
		c.VMULPD(inverse, wide, wide)
		c.VCVTPD2PS(wide, narrow)
		return narrow
	})
}
