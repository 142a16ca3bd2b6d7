package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeBytesAVX2 writes the product of bytes. Sums of integers are exact, and the rest is the same
// on each path, so all paths have the same bits.
func writeBytesAVX2(c *build.Context) {
	for rows := 1; rows <= mostRows; rows++ {
		writeBytePanel(c, rows)
	}
}

const byteSignature = "func(quads int, x *byte, xStride int, panel *int8, dst *float32, dstStride int, scales, sums, rowScales, rowZeros *float32, accumulate bool)"

// byteRows returns the addresses of a row's next four bytes.
func byteRows(c *build.Context, x, xStride reg.Register, rows int) (bases []reg.Register, element func(row int) operand.Mem) {
	bases = everyThird(c, x, xStride, rows)
	return bases, func(row int) operand.Mem {
		at := operand.Mem{Base: bases[row/3]}
		if row%3 > 0 {
			at.Index, at.Scale = xStride, uint8(row%3)
		}
		return at
	}
}

// fewRows is the number of rows below which a product of bytes only waits for weights, and asking
// for the next panel, too, takes more time than it saves.
const fewRows = 3

// panelsAhead returns the distance of the same line some panels later, for a prefetch. The address
// need not be valid.
func panelsAhead(c *build.Context, quads reg.Register, panels uint64) reg.Register {
	ahead := c.GP64()
	c.IMUL3Q(operand.U32(64*panels), quads, ahead)
	return ahead
}

// finish converts sums of products to floats, and writes them: (sum − zero of the row · sum of the
// weights) · scale of the output · scale of the row. The value in parentheses is exact.
func finish(c *build.Context, rows, parts int, vector func() reg.VecVirtual, width int, sums func(row, part int) reg.VecVirtual) {
	scales, weights := c.Load(c.Param("scales"), c.GP64()), c.Load(c.Param("sums"), c.GP64())
	rowScales, rowZeros := c.Load(c.Param("rowScales"), c.GP64()), c.Load(c.Param("rowZeros"), c.GP64())
	dst, dstStride := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("dstStride"), c.GP64())
	accumulate := c.Load(c.Param("accumulate"), c.GP8())
	row := func(r int, add bool) {
		zeros, by := vector(), vector()
		c.VBROADCASTSS(operand.Mem{Base: rowZeros, Disp: 4 * r}, zeros)
		c.VBROADCASTSS(operand.Mem{Base: rowScales, Disp: 4 * r}, by)
		for part := range parts {
			v := sums(r, part)
			c.VCVTDQ2PS(v, v)
			c.VFNMADD231PS(operand.Mem{Base: weights, Disp: width * part}, zeros, v)
			c.VMULPS(operand.Mem{Base: scales, Disp: width * part}, v, v)
			c.VMULPS(by, v, v)
			at := operand.Mem{Base: dst, Disp: width * part}
			if add {
				c.VADDPS(at, v, v)
			}
			c.VMOVUPS(v, at)
		}
		if r < rows-1 {
			c.ADDQ(dstStride, dst)
		}
	}
	c.TESTB(accumulate, accumulate)
	c.JEQ(operand.LabelRef("write"))
	for r := range rows {
		row(r, true)
	}
	c.VZEROUPPER()
	c.RET()
	c.Label("write")
	for r := range rows {
		row(r, false)
	}
	end(c)
}

// writeBytePanel multiplies pairs of bytes and adds the two products in 16 bits, where 127·127·2
// fits, and pairs of those sums in 32 bits.
func writeBytePanel(c *build.Context, rows int) {
	name := fmt.Sprintf("bytes%d", rows)
	begin(c, name, byteSignature, name+" is bytePanel for the number of rows in its name and all sixteen columns.")
	quads := c.Load(c.Param("quads"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	xStride := c.Load(c.Param("xStride"), c.GP64())
	panel := c.Load(c.Param("panel"), c.GP64())
	bases, element := byteRows(c, x, xStride, rows)
	var sums [mostRows][2]reg.VecVirtual
	for row := range rows {
		for half := range 2 {
			sums[row][half] = c.YMM()
			c.VPXOR(sums[row][half], sums[row][half], sums[row][half])
		}
	}
	ahead := panelsAhead(c, quads, 1)
	ones, four, pairs := c.YMM(), c.YMM(), c.YMM()
	c.VPCMPEQW(ones, ones, ones)
	c.VPSRLW(operand.Imm(15), ones, ones)
	c.Label("next")
	if rows >= fewRows {
		c.PREFETCHT1(operand.Mem{Base: panel, Index: ahead, Scale: 1})
	}
	for row := range rows {
		c.VPBROADCASTD(element(row), four)
		for half := range 2 {
			c.VPMADDUBSW(operand.Mem{Base: panel, Disp: 32 * half}, four, pairs)
			c.VPMADDWD(ones, pairs, pairs)
			c.VPADDD(pairs, sums[row][half], sums[row][half])
		}
	}
	for _, base := range bases {
		step(c, base, 4)
	}
	step(c, panel, 64)
	c.DECQ(quads)
	c.JNE(operand.LabelRef("next"))
	finish(c, rows, 2, func() reg.VecVirtual { return c.YMM() }, 32, func(row, part int) reg.VecVirtual { return sums[row][part] })
}
