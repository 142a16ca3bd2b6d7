package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeBytesAVX512 writes the product of bytes with two panels, with the instruction of AVX-512
// VNNI for it.
func writeBytesAVX512(c *build.Context) {
	for rows := 1; rows <= mostRows512; rows++ {
		writeBytePair(c, rows)
	}
	for rows := mostRows512 + 1; rows <= mostRowsOnce; rows++ {
		writeByteOnce(c, rows)
	}
}

// writeByteOnce is [writeOnce512] for bytes.
func writeByteOnce(c *build.Context, rows int) {
	name := fmt.Sprintf("byteOnce%d", rows)
	begin(c, name, byteSignature, name+" is bytePanel for the number of rows in its name and all sixteen columns, and prefetches what follows its weights.")
	quads := c.Load(c.Param("quads"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	xStride := c.Load(c.Param("xStride"), c.GP64())
	panel := c.Load(c.Param("panel"), c.GP64())
	bases, element := byteRows(c, x, xStride, rows)
	sums := make([]reg.VecVirtual, rows)
	for row := range sums {
		sums[row] = zero512(c)
	}
	weights, four := c.ZMM(), c.ZMM()
	c.Label("next")
	c.PREFETCHT0(operand.Mem{Base: panel, Disp: onceAhead})
	c.VMOVUPS(operand.Mem{Base: panel}, weights)
	for row, sum := range sums {
		c.VPBROADCASTD(element(row), four)
		multiplyBytes(c, weights, four, sum)
	}
	for _, base := range bases {
		step(c, base, 4)
	}
	step(c, panel, 64)
	c.DECQ(quads)
	c.JNE(operand.LabelRef("next"))
	finish(c, rows, 1, func() reg.VecVirtual { return c.ZMM() }, 64, func(row, _ int) reg.VecVirtual { return sums[row] })
}

func writeBytePair(c *build.Context, rows int) {
	name := fmt.Sprintf("bytePair%d", rows)
	begin(c, name, byteSignature, name+" is bytePanel for the number of rows in its name and all columns of two panels.")
	quads := c.Load(c.Param("quads"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	xStride := c.Load(c.Param("xStride"), c.GP64())
	first, second := c.Load(c.Param("panel"), c.GP64()), c.GP64()
	c.MOVQ(quads, second)
	c.SHLQ(operand.Imm(6), second)
	c.ADDQ(first, second)
	ahead := panelsAhead(c, quads, 2)
	bases, element := byteRows(c, x, xStride, rows)
	var sums [mostRows512][2]reg.VecVirtual
	for row := range rows {
		for part := range 2 {
			sums[row][part] = zero512(c)
		}
	}
	weights, four := [2]reg.VecVirtual{c.ZMM(), c.ZMM()}, c.ZMM()
	c.Label("next")
	if rows >= fewRows {
		c.PREFETCHT1(operand.Mem{Base: first, Index: ahead, Scale: 1})
		c.PREFETCHT1(operand.Mem{Base: second, Index: ahead, Scale: 1})
	}
	c.VMOVUPS(operand.Mem{Base: first}, weights[0])
	c.VMOVUPS(operand.Mem{Base: second}, weights[1])
	for row := range rows {
		c.VPBROADCASTD(element(row), four)
		for part := range 2 {
			multiplyBytes(c, weights[part], four, sums[row][part])
		}
	}
	for _, base := range bases {
		step(c, base, 4)
	}
	step(c, first, 64)
	step(c, second, 64)
	c.DECQ(quads)
	c.JNE(operand.LabelRef("next"))
	finish(c, rows, 2, func() reg.VecVirtual { return c.ZMM() }, 64, func(row, part int) reg.VecVirtual { return sums[row][part] })
}

// multiplyBytes adds to each sum four products of a signed byte and an unsigned one. avo does not
// have the instruction.
func multiplyBytes(c *build.Context, signed, unsigned, sum reg.VecVirtual) {
	c.Instruction(&ir.Instruction{
		Opcode:   "VPDPBUSD",
		Operands: []operand.Op{signed, unsigned, sum},
		Inputs:   []operand.Op{signed, unsigned, sum},
		Outputs:  []operand.Op{sum},
	})
}
