package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// 24 sums, two lines of panels and a broadcast element fill 27 of the 32 registers
	mostRows512 = 12
	unrolled512 = 2
	// 24 sums and a line of the panel
	mostRowsOnce = 24
	// onceAhead is how many bytes after its weights a product with a single panel prefetches.
	onceAhead = 3072
)

// writeProductAVX512 writes a routine for each kind of panel and each number of rows. It takes two
// adjacent panels: with one, a register of weights would be used in too few multiplications. Sums
// are the chains of product_avx2.go, so both have the same bits.
func writeProductAVX512(c *build.Context) {
	for _, kind := range panelKinds {
		for rows := 1; rows <= mostRows512; rows++ {
			writePanel512(c, kind, rows)
		}
		for rows := mostRows512 + 1; rows <= mostRowsOnce; rows++ {
			writeOnce512(c, kind, rows)
		}
	}
}

// writeOnce512 writes the product of more rows than a pair of panels takes with a single panel. So
// few rows wait for weights from beyond the caches, and here each line is read once, in order, and
// asked for in time.
func writeOnce512(c *build.Context, kind panelKind, rows int) {
	name := fmt.Sprintf("once%d%s", rows, kind.name)
	begin(c, name,
		"func(depth int, x *float32, xStride int, panel *"+kind.scalar+", dst *float32, dstStride int, accumulate bool)",
		fmt.Sprintf("%s is panel%s for %d rows and all sixteen columns, and prefetches what follows its weights. Strides are in bytes.", name, kind.name, rows))
	depth := c.Load(c.Param("depth"), c.GP64())
	x := c.Load(c.Param("x"), c.GP64())
	xStride := c.Load(c.Param("xStride"), c.GP64())
	panel := c.Load(c.Param("panel"), c.GP64())
	bases := everyThird(c, x, xStride, rows)
	sums := make([][]reg.VecVirtual, rows)
	for row := range sums {
		sums[row] = []reg.VecVirtual{zero512(c)}
	}
	weights, widening := c.ZMM(), kind.widening512(c)
	multiply := func(line int) {
		at := operand.Mem{Base: panel, Disp: line * kind.line}
		kind.load512(c, at, widening, weights)
		for row, sum := range sums {
			c.VFMADD231PS_BCST(element(bases, xStride, row, line), weights, sum[0])
		}
	}
	advance := func(lines int) {
		for _, base := range bases {
			c.ADDQ(operand.Imm(uint64(4*lines)), base)
		}
		c.ADDQ(operand.U32(lines*kind.line), panel)
	}
	lines512(c, depth, func() {
		// The address need not be valid.
		for line := 0; line < unrolled512*kind.line; line += 64 {
			c.PREFETCHT0(operand.Mem{Base: panel, Disp: onceAhead + line})
		}
	}, multiply, advance)
	storeRows(c, nil, 64, sums)
	end(c)
}

func writePanel512(c *build.Context, kind panelKind, rows int) {
	name := fmt.Sprintf("pair%d%s", rows, kind.name)
	begin(c, name,
		"func(depth int, x *float32, xStride int, panels *"+kind.scalar+", dst *float32, dstStride int, accumulate bool, ahead, pairs int)",
		fmt.Sprintf("%s is panel%s for %d rows and all columns of some pairs of panels, and prefetches ahead bytes after the weights of each. Strides are in bytes.", name, kind.name, rows))
	x := c.Load(c.Param("x"), c.GP64())
	xStride := c.Load(c.Param("xStride"), c.GP64())
	first := c.Load(c.Param("panels"), c.GP64())
	ahead := c.Load(c.Param("ahead"), c.GP64())
	bases := everyThird(c, x, xStride, rows)
	sums := make([][]reg.VecVirtual, rows)
	for row := range sums {
		sums[row] = []reg.VecVirtual{c.ZMM(), c.ZMM()}
	}
	weights, widening := [2]reg.VecVirtual{c.ZMM(), c.ZMM()}, kind.widening512(c)
	broadcast := c.ZMM()
	second := c.GP64()
	multiply := func(line int) {
		for panel, base := range []reg.Register{first, second} {
			at := operand.Mem{Base: base, Disp: line * kind.line}
			kind.load512(c, at, widening, weights[panel])
		}
		for row := range rows {
			c.VBROADCASTSS(element(bases, xStride, row, line), broadcast)
			c.VFMADD231PS(weights[0], broadcast, sums[row][0])
			c.VFMADD231PS(weights[1], broadcast, sums[row][1])
		}
	}
	advance := func(lines int) {
		for _, base := range bases {
			c.ADDQ(operand.Imm(uint64(4*lines)), base)
		}
		c.ADDQ(operand.U32(lines*kind.line), first)
		c.ADDQ(operand.U32(lines*kind.line), second)
	}
	eachGroup(c, "pairs", 128, bases, func(column, depth reg.Register) {
		c.MOVQ(depth, second)
		c.SHLQ(operand.Imm(uint64(bits.TrailingZeros(uint(kind.line)))), second)
		c.ADDQ(first, second)
		for _, row := range sums {
			for _, sum := range row {
				c.VPXORD(sum, sum, sum)
			}
		}
		lines512(c, depth, func() {
			// Prefetch the weights of the next panels during these multiplications. The address
			// need not be valid.
			for line := 0; line < unrolled512*kind.line; line += 64 {
				c.PREFETCHT1(operand.Mem{Base: first, Index: ahead, Scale: 1, Disp: line})
			}
		}, multiply, advance)
		storeRows(c, column, 64, sums)
		c.MOVQ(second, first)
	})
	end(c)
}

// lines512 writes the loop over the lines of a panel, some in each turn, and the one that is left.
func lines512(c *build.Context, depth reg.Register, prefetch func(), multiply, advance func(lines int)) {
	c.SUBQ(operand.Imm(unrolled512), depth)
	c.JLT(operand.LabelRef("rest"))
	c.Label("lines")
	prefetch()
	for line := range unrolled512 {
		multiply(line)
	}
	advance(unrolled512)
	c.SUBQ(operand.Imm(unrolled512), depth)
	c.JGE(operand.LabelRef("lines"))
	c.Label("rest")
	c.ADDQ(operand.Imm(unrolled512), depth)
	c.JEQ(operand.LabelRef("store"))
	multiply(0)
	advance(1)
}

// element is the scalar of a row of x in a line, from what [everyThird] returned.
func element(bases []reg.Register, xStride reg.Register, row, line int) operand.Mem {
	at := operand.Mem{Base: bases[row/3], Disp: 4 * line}
	if row%3 > 0 {
		at.Index, at.Scale = xStride, uint8(row%3)
	}
	return at
}

// everyThird returns pointers to rows 0, 3, 6 and so on: an address adds the stride once or twice,
// so the rows between are relative to them.
func everyThird(c *build.Context, x, xStride reg.Register, rows int) []reg.Register {
	bases := []reg.Register{x}
	for row := 3; row < rows; row += 3 {
		next := c.GP64()
		c.LEAQ(operand.Mem{Base: bases[len(bases)-1], Index: xStride, Scale: 2}, next)
		c.ADDQ(xStride, next)
		bases = append(bases, next)
	}
	return bases
}

// widening512 returns what load512 needs beside a line: for bf16, a permutation of bytes.
func (kind panelKind) widening512(c *build.Context) reg.VecVirtual {
	if kind.name != "BF16" {
		return nil
	}
	const name, none = "widening", 0x80
	if _, there := constants[name]; !there {
		constants[name] = c.StaticGlobal(name)
		c.DataAttributes(attr.RODATA | attr.NOPTR)
		for column := range 16 {
			low := uint32(column%4*4 + column/8*2) // the first of two bytes, in a quarter of the register
			c.AddDatum(4*column, operand.U32((low+1)<<24|low<<16|none<<8|none))
		}
	}
	bytes := c.ZMM()
	c.VMOVUPS(constants[name], bytes)
	return bytes
}

// load512 loads a line as f32. A line of bf16 has columns c and c+8 side by side: twice the line
// fills a register, of whose halves one keeps the first columns, the other the last.
func (kind panelKind) load512(c *build.Context, from operand.Mem, widening, to reg.VecVirtual) {
	if kind.name != "BF16" {
		c.VMOVUPS(from, to)
		return
	}
	c.VBROADCASTI64X4(from, to)
	c.VPSHUFB(widening, to, to)
}
