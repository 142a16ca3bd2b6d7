package main

import (
	"strconv"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeFilterAVX2 writes the filters of PNG's rows.
func writeFilterAVX2(c *build.Context) {
	begin(c, "addBytesx32", "func(dst, x *byte, n int)", "addBytesx32 is addBytes for n bytes, a multiple of 32.")
	dst := c.Load(c.Param("dst"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	each(c, n, 32, func() {
		v := loaded(c, operand.Mem{Base: x})
		c.VPADDB(operand.Mem{Base: dst}, v, v)
		c.VMOVDQU(v, operand.Mem{Base: dst})
		step(c, dst, 32)
		step(c, x, 32)
	})
	end(c)
	writePaeth(c, 3)
	writePaeth(c, 4)
}

// writePaeth holds the bytes of a pixel in words.
func writePaeth(c *build.Context, channels int) {
	name := "paethx" + strconv.Itoa(channels)
	begin(c, name, "func(row, above *byte, count int, left, corner *[4]byte)", name+" is paeth for count pixels, at least one, of "+
		strconv.Itoa(channels)+" bytes. It reads four bytes of each. left and corner are those of the first one, and then those of the next.")
	row := c.Load(c.Param("row"), c.GP64())
	above := c.Load(c.Param("above"), c.GP64())
	count := c.Load(c.Param("count"), c.GP64())
	leftAt := c.Load(c.Param("left"), c.GP64())
	cornerAt := c.Load(c.Param("corner"), c.GP64())
	wide := func(at reg.Register) reg.VecVirtual {
		v := c.XMM()
		c.VMOVD(operand.Mem{Base: at}, v)
		c.VPMOVZXBW(v, v)
		return v
	}
	left, corner := wide(leftAt), wide(cornerAt)
	low := c.XMM()
	c.VPCMPEQW(low, low, low)
	c.VPSRLW(operand.Imm(8), low, low)
	each(c, count, 1, func() {
		up, raw := wide(above), wide(row)
		toLeft, toUp, toCorner, nearest := c.XMM(), c.XMM(), c.XMM(), c.XMM()
		c.VPSUBW(corner, up, toLeft)
		c.VPSUBW(corner, left, toUp)
		c.VPADDW(toUp, toLeft, toCorner)
		for _, v := range []reg.VecVirtual{toLeft, toUp, toCorner} {
			c.VPABSW(v, v)
		}
		// Where two are as near, the first one is taken.
		c.VPMINSW(toUp, toLeft, nearest)
		c.VPMINSW(toCorner, nearest, nearest)
		c.VPCMPEQW(nearest, toUp, toUp)
		c.VPBLENDVB(toUp, up, corner, corner)
		c.VPCMPEQW(nearest, toLeft, toLeft)
		c.VPBLENDVB(toLeft, left, corner, left)
		c.VPADDB(raw, left, left)
		c.VPAND(low, left, left)
		c.VMOVDQA(up, corner)
		bytes := c.XMM()
		c.VPACKUSWB(left, left, bytes)
		if channels == 4 {
			c.VMOVD(bytes, operand.Mem{Base: row})
		} else {
			c.VPEXTRW(operand.Imm(0), bytes, operand.Mem{Base: row})
			c.VPEXTRB(operand.Imm(2), bytes, operand.Mem{Base: row, Disp: 2})
		}
		step(c, row, channels)
		step(c, above, channels)
	})
	for i, v := range []reg.VecVirtual{left, corner} {
		bytes := c.XMM()
		c.VPACKUSWB(v, v, bytes)
		c.VMOVD(bytes, operand.Mem{Base: []reg.Register{leftAt, cornerAt}[i]})
	}
	end(c)
}
