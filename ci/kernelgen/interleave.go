package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// interleave writes a body several times, an instruction of each copy in turn. It has no labels.
//
// A processor keeps a few dozen instructions that wait for their operands. If each is the next of
// one long chain, those few are soon all of it, and nothing else starts.
func interleave(c *build.Context, copies int, body func(copy int)) {
	file, err := c.Result()
	if err != nil {
		return // compile reports it
	}
	functions := file.Functions()
	function := functions[len(functions)-1]
	before := function.Nodes
	chains := make([][]ir.Node, copies)
	for i := range chains {
		function.Nodes = nil
		body(i)
		chains[i] = function.Nodes
	}
	for at := range chains[0] {
		for _, chain := range chains {
			before = append(before, chain[at])
		}
	}
	function.Nodes = before
}

// eachInterleaved calls body for every eight of n scalars at x, of several at a time as long as
// there are as many. n is a multiple of 8, and not 0.
func eachInterleaved(c *build.Context, x, n reg.Register, copies int, body func(at operand.Mem)) {
	several(c, x, n, copies, 8, func(i int) { body(operand.Mem{Base: x, Disp: 32 * i}) })
	c.JEQ(operand.LabelRef("done"))
	each(c, n, 8, func() {
		body(operand.Mem{Base: x})
		step(c, x, 32)
	})
	c.Label("done")
}

// vectorsInterleaved is vectors, of several at a time as long as there are as many.
func vectorsInterleaved(c *build.Context, x reg.Register, n reg.GPVirtual, copies int, body func(at operand.Mem, mask reg.Register)) {
	several(c, x, n, copies, 16, func(i int) { body(operand.Mem{Base: x, Disp: 64 * i}, nil) })
	vectors(c, n, 16, func(mask reg.Register) {
		body(operand.Mem{Base: x}, mask)
		step(c, x, 64)
	})
}

// several calls body for copies vectors of lanes scalars at a time, as long as n has as many, and
// leaves the rest in n, with the flags of it.
func several(c *build.Context, x, n reg.Register, copies, lanes int, body func(copy int)) {
	count := uint64(copies * lanes)
	c.SUBQ(operand.Imm(count), n)
	c.JLT(operand.LabelRef("fewer"))
	c.Label("several")
	interleave(c, copies, body)
	c.ADDQ(operand.U32(4*count), x)
	c.SUBQ(operand.Imm(count), n)
	c.JGE(operand.LabelRef("several"))
	c.Label("fewer")
	c.ADDQ(operand.Imm(count), n)
}
