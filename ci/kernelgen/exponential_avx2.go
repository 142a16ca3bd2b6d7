package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeExponentialAVX2 writes the parts of a softmax.
func writeExponentialAVX2(c *build.Context) {
	writeLargest(c)
	writeSoftmax(c)
	writeScale(c)
}

// exponential replaces x by eˣ, with the operations of the portable function of that name: out of
// range it is 0 or +Inf, and a NaN stays one, since neither comparison holds for it. That it is too
// large is not looked at where no x is positive.
func exponential(c *build.Context, x reg.VecVirtual, positive bool) {
	small, large := c.YMM(), c.YMM()
	c.VCMPPS(operand.Imm(1), constant(c, "lowest", -87.3), x, small) // less than
	if positive {
		c.VCMPPS(operand.Imm(14), constant(c, "highest", 88.3), x, large) // greater than
	}
	shifted, n := c.YMM(), c.YMM()
	c.VMOVUPS(constant(c, "rounder", 12582912), n)
	c.VMOVUPS(constant(c, "log2e", 1.44269504), shifted)
	c.VFMADD213PS(n, x, shifted)
	c.VSUBPS(n, shifted, n)
	c.VFNMADD231PS(constant(c, "ln2High", 0.693359375), n, x)
	c.VFNMADD231PS(constant(c, "ln2Low", -2.12194440e-4), n, x)
	p := c.YMM()
	c.VMOVUPS(constant(c, "term0", 1.9875691500e-4), p)
	for i, term := range []float32{1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1} {
		c.VFMADD213PS(constant(c, fmt.Sprintf("term%d", i+1), term), x, p)
	}
	square := c.YMM()
	c.VMULPS(x, x, square)
	c.VFMADD213PS(x, square, p)
	c.VADDPS(constant(c, "one", 1), p, p)
	// The lowest bits of shifted are the exponent; the others are shifted out.
	c.VPSLLD(operand.Imm(23), shifted, shifted)
	c.VPADDD(constant(c, "one", 1), shifted, shifted)
	c.VMULPS(shifted, p, p)
	c.VANDNPS(p, small, x)
	if positive {
		c.VBLENDVPS(large, constant(c, "infinity", float32(math.Inf(1))), x, x)
	}
}

// constants are the symbols that this file has defined so far.
var constants = map[string]operand.Mem{}

// constant returns eight copies of v in memory. A file has one symbol of a name, so a name stands
// for one value.
func constant(c *build.Context, name string, v float32) operand.Mem {
	return words(c, name, int32(math.Float32bits(v)))
}

// words is constant for whole numbers.
func words(c *build.Context, name string, v int32) operand.Mem {
	return stored(c, name, [8]int32{v, v, v, v, v, v, v, v})
}

// shuffle returns the places of VPSHUFB in memory, the same for both halves of a register.
func shuffle(c *build.Context, name string, places [16]byte) operand.Mem {
	var lanes [8]int32
	for i := range lanes {
		lanes[i] = int32(binary.LittleEndian.Uint32(places[4*i%16:]))
	}
	return stored(c, name, lanes)
}

func stored(c *build.Context, name string, lanes [8]int32) operand.Mem {
	if _, there := constants[name]; !there {
		constants[name] = c.StaticGlobal(name)
		c.DataAttributes(attr.RODATA | attr.NOPTR)
		for i, lane := range lanes {
			c.AddDatum(4*i, operand.U32(lane))
		}
	}
	return constants[name]
}

func writeLargest(c *build.Context) {
	begin(c, "largestx8", "func(x *float32, n int) float32", "largestx8 returns the largest of n scalars, a multiple of 8. A NaN may be ignored.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	// Four maxima at a time hide the latency of one.
	var four [4]reg.VecVirtual
	for i := range four {
		four[i] = c.YMM()
		c.VMOVUPS(operand.Mem{Base: x}, four[i])
	}
	largest := four[0]
	c.SUBQ(operand.Imm(32), n)
	c.JLT(operand.LabelRef("rest"))
	c.Label("fours")
	for i, v := range four {
		c.VMAXPS(operand.Mem{Base: x, Disp: 32 * i}, v, v)
	}
	step(c, x, 128)
	c.SUBQ(operand.Imm(32), n)
	c.JGE(operand.LabelRef("fours"))
	c.Label("rest")
	c.ADDQ(operand.Imm(32), n)
	c.JEQ(operand.LabelRef("done"))
	each(c, n, 8, func() {
		c.VMAXPS(operand.Mem{Base: x}, largest, largest)
		step(c, x, 32)
	})
	c.Label("done")
	for _, v := range four[1:] {
		c.VMAXPS(v, largest, largest)
	}
	one, other := c.XMM(), c.XMM()
	c.VEXTRACTF128(operand.Imm(1), largest, one)
	c.VMAXPS(largest.AsX(), one, one)
	c.VPERMILPS(operand.Imm(0x4E), one, other)
	c.VMAXPS(other, one, one)
	c.VPERMILPS(operand.Imm(0xB1), one, other)
	c.VMAXPS(other, one, one)
	c.VMOVSS(one, address(c.ReturnIndex(0)))
	end(c)
}

func writeSoftmax(c *build.Context) {
	begin(c, "exponentialsx8", "func(x *float32, n int, largest, scale float32) float32",
		"exponentialsx8 replaces n scalars, a multiple of 8, by the exponentials of (x−largest)·scale, and returns their sum.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	largest, scale := broadcastParam(c, "largest"), broadcastParam(c, "scale")
	sum := zero(c)
	eachInterleaved(c, x, n, 2, func(at operand.Mem) {
		v := c.YMM()
		c.VMOVUPS(at, v)
		c.VSUBPS(largest, v, v)
		c.VMULPS(scale, v, v)
		exponential(c, v, false)
		c.VMOVUPS(v, at)
		c.VADDPS(v, sum, sum)
	})
	c.VMOVSS(reduced(c, sum, c.VADDPS), address(c.ReturnIndex(0)))
	end(c)
}

func writeScale(c *build.Context) {
	begin(c, "scalex8", "func(x *float32, n int, factor float32)", "scalex8 multiplies n scalars, a multiple of 8.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	factor := broadcastParam(c, "factor")
	each(c, n, 8, func() {
		v := c.YMM()
		c.VMULPS(operand.Mem{Base: x}, factor, v)
		c.VMOVUPS(v, operand.Mem{Base: x})
		step(c, x, 32)
	})
	end(c)
}
