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
		"func(depth int, x *float32, xStride int, panel *"+kind.scalar+", dst *float32, dstStride int, accumulate bool, ahead, panels int)",
		fmt.Sprintf("%s is panel%s for %d rows and all columns of some panels, and prefetches ahead bytes after the weights of each. Strides are in bytes.", name, kind.name, rows))
	x := c.Load(c.Param("x"), c.GP64())
	xStride := c.Load(c.Param("xStride"), c.GP64())
	panel := c.Load(c.Param("panel"), c.GP64())
	ahead := c.Load(c.Param("ahead"), c.GP64())
	bases := everyThird(c, x, xStride, rows)
	sums := make([][]reg.VecVirtual, rows)
	for row := range sums {
		sums[row] = []reg.VecVirtual{c.YMM(), c.YMM()}
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
			c.VBROADCASTSS(element(bases, xStride, row, line), broadcast)
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
	eachGroup(c, "panels", 64, bases, func(column, depth reg.Register) {
		for _, row := range sums {
			for _, sum := range row {
				c.VXORPS(sum, sum, sum)
			}
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
		storeRows(c, column, 32, sums)
	})
	end(c)
}

// eachGroup writes the loop over as many groups of panels as the parameter groups says. body gets
// the offset of the group's first column in dst, in bytes, of which a group has some, and the
// depth, which it may change; it leaves the bases of rows depth scalars later.
func eachGroup(c *build.Context, groups string, bytes int, bases []reg.Register, body func(column, depth reg.Register)) {
	column, depth := c.GP64(), c.GP64()
	c.XORQ(column, column)
	c.Label("group")
	c.Load(c.Param("depth"), depth)
	body(column, depth)
	c.Load(c.Param("depth"), depth)
	c.SHLQ(operand.Imm(2), depth)
	for _, base := range bases {
		c.SUBQ(depth, base)
	}
	c.ADDQ(operand.U32(bytes), column)
	c.DECQ(address(c.Param(groups)))
	c.JG(operand.LabelRef("group"))
}

// storeRows writes the end of a group: the sums of each row, vectors of size bytes, go to dst, or
// are added to it. column is the offset of the group's first column, or nil.
func storeRows(c *build.Context, column reg.Register, size int, sums [][]reg.VecVirtual) {
	c.Label("store")
	dst := c.Load(c.Param("dst"), c.GP64())
	dstStride := c.Load(c.Param("dstStride"), c.GP64())
	if column != nil {
		c.ADDQ(column, dst)
	}
	accumulate := c.Load(c.Param("accumulate"), c.GP8())
	c.TESTB(accumulate, accumulate)
	c.JEQ(operand.LabelRef("write"))
	to := c.GP64()
	c.MOVQ(dst, to)
	eachRow := func(base reg.Register, do func(sum reg.VecVirtual, at operand.Mem)) {
		for row := range sums {
			for i, sum := range sums[row] {
				do(sum, operand.Mem{Base: base, Disp: size * i})
			}
			if row < len(sums)-1 {
				c.ADDQ(dstStride, base)
			}
		}
	}
	eachRow(to, func(sum reg.VecVirtual, at operand.Mem) { c.VADDPS(at, sum, sum) })
	c.Label("write")
	eachRow(dst, func(sum reg.VecVirtual, at operand.Mem) { c.VMOVUPS(sum, at) })
}
