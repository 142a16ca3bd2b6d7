package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeRowsAVX2 writes the element-wise operations on rows. Lengths are positive multiples of one
// iteration's elements, as the documentation of each routine says.
func writeRowsAVX2(c *build.Context) {
	writeEach(c, "addx8", c.VADDPS)
	writeEach(c, "multiplyx8", c.VMULPS)
	widenBF16 := func(x operand.Mem, v reg.VecVirtual) {
		c.VPMOVZXWD(x, v)
		c.VPSLLD(operand.Imm(16), v, v)
	}
	widenF16 := func(x operand.Mem, v reg.VecVirtual) { c.VCVTPH2PS(x, v) }
	writeHalves(c, "addBF16x8", widenBF16, true)
	writeHalves(c, "floatsFromBF16x8", widenBF16, false)
	writeHalves(c, "addF16x8", widenF16, true)
	writeHalves(c, "floatsFromF16x8", widenF16, false)
	writeAddInt8(c)
	writeAddInt4(c)
	writeRotate(c)
}

// each repeats body while n, reduced by count each time, is positive.
func each(c *build.Context, n reg.Register, count int, body func()) {
	c.Label("next")
	body()
	c.SUBQ(operand.Imm(uint64(count)), n)
	c.JG(operand.LabelRef("next"))
}

func step(c *build.Context, pointer reg.Register, bytes int) {
	c.ADDQ(operand.Imm(uint64(bytes)), pointer)
}

func writeEach(c *build.Context, name string, combine func(ops ...operand.Op)) {
	begin(c, name, "func(dst, x *float32, n int)", name+" is "+name[:len(name)-2]+" for n scalars, a multiple of 8.")
	dst := c.Load(c.Param("dst"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	each(c, n, 8, func() {
		v := c.YMM()
		c.VMOVUPS(operand.Mem{Base: dst}, v)
		combine(operand.Mem{Base: x}, v, v)
		c.VMOVUPS(v, operand.Mem{Base: dst})
		step(c, dst, 32)
		step(c, x, 32)
	})
	end(c)
}

func writeHalves(c *build.Context, name string, widen func(x operand.Mem, v reg.VecVirtual), add bool) {
	begin(c, name, "func(dst *float32, x *uint16, n int)", name+" is "+name[:len(name)-2]+" for n scalars, a multiple of 8.")
	dst := c.Load(c.Param("dst"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	each(c, n, 8, func() {
		v := c.YMM()
		widen(operand.Mem{Base: x}, v)
		if add {
			c.VADDPS(operand.Mem{Base: dst}, v, v)
		}
		c.VMOVUPS(v, operand.Mem{Base: dst})
		step(c, dst, 32)
		step(c, x, 16)
	})
	end(c)
}

func writeAddInt8(c *build.Context) {
	begin(c, "addInt8x8", "func(dst *float32, x *byte, n int, scale float32)", "addInt8x8 is addInt8 for n scalars, a multiple of 8.")
	dst := c.Load(c.Param("dst"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	scale := broadcastParam(c, "scale")
	each(c, n, 8, func() {
		v := c.YMM()
		c.VPMOVSXBD(operand.Mem{Base: x}, v)
		c.VCVTDQ2PS(v, v)
		c.VFMADD213PS(operand.Mem{Base: dst}, scale, v)
		c.VMOVUPS(v, operand.Mem{Base: dst})
		step(c, dst, 32)
		step(c, x, 8)
	})
	end(c)
}

// writeAddInt4 unpacks eight bytes at a time: the low and the high nibbles interleave to sixteen
// bytes.
func writeAddInt4(c *build.Context) {
	begin(c, "addInt4x16", "func(dst *float32, x *byte, n int, scale float32)", "addInt4x16 is addInt4 for n scalars, a multiple of 16.")
	dst := c.Load(c.Param("dst"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	scale := broadcastParam(c, "scale")
	nibble, eight := c.XMM(), c.XMM()
	c.VPBROADCASTB(c.ConstData("nibble", operand.U8(15)), nibble)
	c.VPBROADCASTB(c.ConstData("eight", operand.U8(8)), eight)
	each(c, n, 16, func() {
		low, high := c.XMM(), c.XMM()
		c.VMOVQ(operand.Mem{Base: x}, low)
		c.VPSRLW(operand.Imm(4), low, high)
		c.VPUNPCKLBW(high, low, low)
		c.VPAND(nibble, low, low)
		c.VPSUBB(eight, low, low)
		first, second := c.YMM(), c.YMM()
		c.VPMOVSXBD(low, first)
		c.VPSRLDQ(operand.Imm(8), low, low)
		c.VPMOVSXBD(low, second)
		for i, v := range []reg.VecVirtual{first, second} {
			at := operand.Mem{Base: dst, Disp: 32 * i}
			c.VCVTDQ2PS(v, v)
			c.VFMADD213PS(at, scale, v)
			c.VMOVUPS(v, at)
		}
		step(c, dst, 64)
		step(c, x, 8)
	})
	end(c)
}

func writeRotate(c *build.Context) {
	begin(c, "rotatex8", "func(low, high, cos, sin *float32, n int)", "rotatex8 is rotate for n pairs, a multiple of 8.")
	low := c.Load(c.Param("low"), c.GP64())
	high := c.Load(c.Param("high"), c.GP64())
	cos := c.Load(c.Param("cos"), c.GP64())
	sin := c.Load(c.Param("sin"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	each(c, n, 8, func() {
		a, b, x, y, s := c.YMM(), c.YMM(), c.YMM(), c.YMM(), c.YMM()
		c.VMOVUPS(operand.Mem{Base: low}, a)
		c.VMOVUPS(operand.Mem{Base: high}, b)
		c.VMOVUPS(operand.Mem{Base: sin}, s)
		c.VMULPS(operand.Mem{Base: cos}, a, x)
		c.VMULPS(operand.Mem{Base: cos}, b, y)
		c.VFNMADD231PS(s, b, x)
		c.VFMADD231PS(s, a, y)
		c.VMOVUPS(x, operand.Mem{Base: low})
		c.VMOVUPS(y, operand.Mem{Base: high})
		for _, pointer := range []reg.Register{low, high, cos, sin} {
			step(c, pointer, 32)
		}
	})
	end(c)
}

// address returns the location of an argument or result of a routine. Scalars are read and written
// there by VEX instructions; avo would choose others, which are slow beside dirty upper halves.
func address(component gotypes.Component) operand.Mem {
	resolved, err := component.Resolve()
	if err != nil {
		panic(err) // a name that the signature does not have
	}
	return resolved.Addr
}

func broadcastParam(c *build.Context, name string) reg.VecVirtual {
	all := c.YMM()
	c.VBROADCASTSS(address(c.Param(name)), all)
	return all
}
