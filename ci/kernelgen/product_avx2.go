package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// 12 sums, a line of the panel, a broadcast element and a mask fill the 16 registers
	mostRows = 6
	unrolled = 8 // lines of the panel in one iteration of the loop
)

// writeProductAVX2 writes a routine for each kind of panel and each number of rows from one to
// mostRows.
func writeProductAVX2(c *build.Context) {
	for _, kind := range panelKinds {
		for rows := 1; rows <= mostRows; rows++ {
			writePanel(c, kind, rows)
		}
	}
}

type panelKind struct {
	name, scalar string
	line         int // bytes of sixteen weights
}

var panelKinds = []panelKind{{"F32", "float32", 64}, {"BF16", "uint16", 32}}

// writePanel keeps one sum for each row and column in a register for the whole depth. So each sum
// is the same chain of fused multiply-adds, from zero and in the order of the inputs, for every
// number of rows.
func writePanel(c *build.Context, kind panelKind, rows int) {
	name := fmt.Sprintf("panel%d%s", rows, kind.name)
	begin(c, name,
		"func(depth int, x *float32, xStride int, panel *"+kind.scalar+", dst *float32, dstStride int, accumulate bool, ahead int)",
		fmt.Sprintf("%s is panel%s for %d rows and all sixteen columns, and prefetches ahead bytes after its weights. Strides are in bytes.", name, kind.name, rows))
	depth := c.Load(c.Param("depth"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	xStride := c.Load(c.Param("xStride"), c.GP64())
	panel := c.Load(c.Param("panel"), c.GP64())
	dst := c.Load(c.Param("dst"), c.GP64())
	dstStride := c.Load(c.Param("dstStride"), c.GP64())
	ahead := c.Load(c.Param("ahead"), c.GP64())

	bases := everyThird(c, x, xStride, rows)
	element := func(row, line int) operand.Mem {
		at := operand.Mem{Base: bases[row/3], Disp: 4 * line}
		if row%3 > 0 {
			at.Index, at.Scale = xStride, uint8(row%3)
		}
		return at
	}

	var sums [mostRows][2]reg.VecVirtual
	for row := range rows {
		for half := range 2 {
			sums[row][half] = c.YMM()
			c.VXORPS(sums[row][half], sums[row][half], sums[row][half])
		}
	}
	low, high, broadcast := c.YMM(), c.YMM(), c.YMM()
	var mask reg.VecVirtual
	if kind.name == "BF16" {
		mask = c.YMM()
		c.VPCMPEQD(mask, mask, mask)
		c.VPSLLD(operand.Imm(16), mask, mask)
	}
	multiply := func(line int) {
		at := operand.Mem{Base: panel, Disp: line * kind.line}
		if kind.name == "BF16" {
			c.VMOVUPS(at, high)
			c.VPSLLD(operand.Imm(16), high, low)
			c.VPAND(mask, high, high)
		} else {
			c.VMOVUPS(at, low)
			c.VMOVUPS(at.Offset(32), high)
		}
		for row := range rows {
			c.VBROADCASTSS(element(row, line), broadcast)
			c.VFMADD231PS(low, broadcast, sums[row][0])
			c.VFMADD231PS(high, broadcast, sums[row][1])
		}
	}
	advance := func(lines int) {
		for _, base := range bases {
			c.ADDQ(operand.Imm(uint64(4*lines)), base)
		}
		c.ADDQ(operand.U32(lines*kind.line), panel)
	}

	c.SUBQ(operand.Imm(unrolled), depth)
	c.JLT(operand.LabelRef("rest"))
	c.Label("lines")
	// A part of the next panel, during these multiplications. The address need not be valid.
	for line := range unrolled / 2 {
		c.PREFETCHT1(operand.Mem{Base: panel, Index: ahead, Scale: 1, Disp: 64 * line})
	}
	for line := range unrolled {
		multiply(line)
	}
	advance(unrolled)
	c.SUBQ(operand.Imm(unrolled), depth)
	c.JGE(operand.LabelRef("lines"))
	c.Label("rest")
	c.ADDQ(operand.Imm(unrolled), depth)
	c.JEQ(operand.LabelRef("store"))
	c.Label("line")
	multiply(0)
	advance(1)
	c.DECQ(depth)
	c.JNE(operand.LabelRef("line"))

	c.Label("store")
	accumulate := c.Load(c.Param("accumulate"), c.GP8())
	c.TESTB(accumulate, accumulate)
	c.JEQ(operand.LabelRef("write"))
	to := c.GP64()
	c.MOVQ(dst, to)
	for row := range rows {
		c.VADDPS(operand.Mem{Base: to}, sums[row][0], sums[row][0])
		c.VADDPS(operand.Mem{Base: to, Disp: 32}, sums[row][1], sums[row][1])
		if row < rows-1 {
			c.ADDQ(dstStride, to)
		}
	}
	c.Label("write")
	for row := range rows {
		c.VMOVUPS(sums[row][0], operand.Mem{Base: dst})
		c.VMOVUPS(sums[row][1], operand.Mem{Base: dst, Disp: 32})
		if row < rows-1 {
			c.ADDQ(dstStride, dst)
		}
	}
	end(c)
}
