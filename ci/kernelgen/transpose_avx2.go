package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeTransposeAVX2 writes the packing of activations: eight rows as columns of a panel, and rows
// below each other.
func writeTransposeAVX2(c *build.Context) {
	writeEightRows(c)
	writeLines(c)
}

// writeEightRows transposes blocks of eight by eight, in three rounds: pairs of scalars, pairs of
// those, halves.
func writeEightRows(c *build.Context) {
	begin(c, "transpose8", "func(dst, src *float32, stride, n int)",
		"transpose8 writes scalar i of each of eight rows, of which one begins stride bytes after the other, to eight places at dst[16·i]. "+
			"n is how many scalars a row has, a multiple of 8.")
	dst := c.Load(c.Param("dst"), c.GP64())
	src := c.Load(c.Param("src"), c.GP64())
	stride := c.Load(c.Param("stride"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	bases := everyThird(c, src, stride, 8)
	each(c, n, 8, func() {
		var rows, pairs [8]reg.VecVirtual
		for r := range rows {
			rows[r] = c.YMM()
			at := operand.Mem{Base: bases[r/3]}
			if r%3 > 0 {
				at.Index, at.Scale = stride, uint8(r%3)
			}
			c.VMOVUPS(at, rows[r])
		}
		for r := 0; r < 8; r += 2 {
			pairs[r], pairs[r+1] = c.YMM(), c.YMM()
			c.VUNPCKLPS(rows[r+1], rows[r], pairs[r])
			c.VUNPCKHPS(rows[r+1], rows[r], pairs[r+1])
		}
		for r := 0; r < 8; r += 4 {
			for half := range 2 {
				c.VUNPCKLPD(pairs[r+2+half], pairs[r+half], rows[r+2*half])
				c.VUNPCKHPD(pairs[r+2+half], pairs[r+half], rows[r+2*half+1])
			}
		}
		for r := range 4 {
			low, high := c.YMM(), c.YMM()
			c.VINSERTF128(operand.Imm(1), rows[r+4].AsX(), rows[r], low)
			c.VPERM2F128(operand.Imm(0x31), rows[r+4], rows[r], high)
			c.VMOVUPS(low, operand.Mem{Base: dst, Disp: 64 * r})
			c.VMOVUPS(high, operand.Mem{Base: dst, Disp: 64 * (r + 4)})
		}
		for _, base := range bases {
			step(c, base, 32)
		}
		c.ADDQ(operand.U32(8*64), dst)
	})
	end(c)
}

func writeLines(c *build.Context) {
	begin(c, "lines16", "func(dst, src *float32, stride, n int)",
		"lines16 writes the first sixteen scalars of n rows, of which one begins stride bytes after the other, one line after the other.")
	dst := c.Load(c.Param("dst"), c.GP64())
	src := c.Load(c.Param("src"), c.GP64())
	stride := c.Load(c.Param("stride"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	each(c, n, 1, func() {
		low, high := c.YMM(), c.YMM()
		c.VMOVUPS(operand.Mem{Base: src}, low)
		c.VMOVUPS(operand.Mem{Base: src, Disp: 32}, high)
		c.VMOVUPS(low, operand.Mem{Base: dst})
		c.VMOVUPS(high, operand.Mem{Base: dst, Disp: 32})
		step(c, dst, 64)
		c.ADDQ(stride, src)
	})
	end(c)
}
