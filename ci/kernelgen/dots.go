package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dotsRows is how many rows a loop takes at once, so that a vector of the query is loaded once for
// all of them.
const dotsRows = 4

// dotsKinds are the kinds of rows, with the bytes of a scalar.
var dotsKinds = []struct {
	name  string
	width int
}{{"F32", 4}, {"F16", 2}, {"I8", 1}}

// prefetchBytes is how far ahead rows are asked for.
const prefetchBytes = 4096

func writeDotsAVX2(c *build.Context) {
	for _, kind := range dotsKinds {
		name := "dots" + kind.name + "x16"
		begin(c, name, "func(dst *float32, rows *byte, query *float32, n, stride, count int)",
			name+" is dots"+kind.name+" for count rows, a multiple of 4, that are stride bytes apart, and n columns, a multiple of 16.")
		d := newDots(c, kind.width, 32, c.YMM)
		d.each(func() { d.prefetch(); d.step(nil) }, nil)
		end(c)
	}
}

func writeDotsAVX512(c *build.Context) {
	for _, kind := range dotsKinds {
		name := "dots" + kind.name + "512"
		begin(c, name, "func(dst *float32, rows *byte, query *float32, n, stride, count int)",
			name+" is dots"+kind.name+" for count rows, a multiple of 4, that are stride bytes apart, and n columns.")
		d := newDots(c, kind.width, 64, c.ZMM)
		// The columns that do not fill two vectors, at most 31.
		rest, bits := c.GP64(), c.GP64()
		c.MOVQ(d.n, rest)
		c.ANDQ(operand.Imm(31), rest)
		c.MOVQ(operand.U32(math.MaxUint32), bits)
		c.BZHIQ(rest, bits, bits)
		masks := [2]reg.Register{c.K(), c.K()}
		c.KMOVW(bits.As32(), masks[0])
		c.SHRQ(operand.Imm(16), bits)
		c.KMOVW(bits.As32(), masks[1])
		d.each(func() { d.prefetch(); d.step(nil) }, func() {
			c.TESTQ(rest, rest)
			c.JE(operand.LabelRef("sum"))
			d.step(masks[:])
			c.Label("sum")
		})
		end(c)
	}
}

// dots is one routine. Each row has two sums, of the even and the odd vectors of the query.
type dots struct {
	c                 *build.Context
	width             int // bytes of a row's scalar
	vector            int // bytes of a vector
	register          func() reg.VecVirtual
	dst, rows, query  reg.Register
	n                 reg.GPVirtual
	stride, count, at reg.GPVirtual // at is the offset within a row, in bytes
	starts            [dotsRows]reg.GPVirtual
	sums              [dotsRows][2]reg.VecVirtual
}

func newDots(c *build.Context, width, vector int, register func() reg.VecVirtual) *dots {
	d := &dots{c: c, width: width, vector: vector, register: register}
	d.dst = c.Load(c.Param("dst"), c.GP64())
	d.rows = c.Load(c.Param("rows"), c.GP64())
	d.query = c.Load(c.Param("query"), c.GP64())
	d.n = c.Load(c.Param("n"), c.GP64()).(reg.GPVirtual)
	d.stride = c.Load(c.Param("stride"), c.GP64()).(reg.GPVirtual)
	d.count = c.Load(c.Param("count"), c.GP64()).(reg.GPVirtual)
	return d
}

// each repeats, for every four rows: whole for the columns that fill two vectors, rest for the
// others, and the sums.
func (d *dots) each(whole, rest func()) {
	c := d.c
	d.at = c.GP64()
	limit := c.GP64()
	columns := d.vector / 2 // two vectors of f32
	c.MOVQ(d.n, limit)
	c.ANDQ(operand.I8(int8(-columns)), limit)
	c.IMUL3Q(operand.Imm(uint64(d.width)), limit, limit)
	c.Label("rows")
	for r := range d.starts {
		d.starts[r] = c.GP64()
		if r == 0 {
			c.MOVQ(d.rows, d.starts[r])
		} else {
			c.LEAQ(operand.Mem{Base: d.starts[r-1], Index: d.stride, Scale: 1}, d.starts[r])
		}
		for half := range d.sums[r] {
			d.sums[r][half] = d.register()
			if d.vector == 64 {
				c.VPXORD(d.sums[r][half], d.sums[r][half], d.sums[r][half])
			} else {
				c.VXORPS(d.sums[r][half], d.sums[r][half], d.sums[r][half])
			}
		}
	}
	c.XORQ(d.at, d.at)
	c.CMPQ(d.at, limit)
	c.JE(operand.LabelRef("rest"))
	c.Label("columns")
	whole()
	c.ADDQ(operand.Imm(uint64(columns*d.width)), d.at)
	c.CMPQ(d.at, limit)
	c.JL(operand.LabelRef("columns"))
	c.Label("rest")
	if rest != nil {
		rest()
	}
	d.total()
	c.LEAQ(operand.Mem{Base: d.starts[dotsRows-1], Index: d.stride, Scale: 1}, d.rows)
	step(c, d.dst, 4*dotsRows)
	c.SUBQ(operand.Imm(dotsRows), d.count)
	c.JG(operand.LabelRef("rows"))
}

// prefetch asks for what a step reads, some microseconds ahead. An address behind the rows does no
// harm.
func (d *dots) prefetch() {
	for r := range d.starts {
		for line := 0; line < d.vector/2*d.width; line += 64 {
			d.c.PREFETCHT0(operand.Mem{Base: d.starts[r], Index: d.at, Scale: 1, Disp: prefetchBytes + line})
		}
	}
}

// step adds two vectors of columns of four rows to the sums, under masks where there are some.
func (d *dots) step(masks []reg.Register) {
	c := d.c
	lanes := d.vector / 4
	for half := range 2 {
		query := d.register()
		from := operand.Mem{Base: d.query, Index: d.at, Scale: uint8(4 / d.width), Disp: half * d.vector}
		var mask reg.Register
		if masks != nil {
			mask = masks[half]
		}
		load(c, from, mask, query)
		for r := range d.starts {
			row := operand.Mem{Base: d.starts[r], Index: d.at, Scale: 1, Disp: half * lanes * d.width}
			sum := d.sums[r][half]
			if d.width == 4 && mask == nil {
				c.VFMADD231PS(row, query, sum)
				continue
			}
			v := d.register()
			d.widen(row, mask, v)
			c.VFMADD231PS(v, query, sum)
		}
	}
}

// widen loads a vector of a row as f32.
func (d *dots) widen(from operand.Mem, mask reg.Register, to reg.VecVirtual) {
	c := d.c
	switch {
	case d.width == 4:
		load(c, from, mask, to)
	case d.width == 2 && mask == nil:
		c.VCVTPH2PS(from, to)
	case d.width == 2:
		c.VCVTPH2PS_Z(from, mask, to)
	case mask == nil:
		c.VPMOVSXBD(from, to)
		c.VCVTDQ2PS(to, to)
	default:
		c.VPMOVSXBD_Z(from, mask, to)
		c.VCVTDQ2PS(to, to)
	}
}

// total writes the four sums.
func (d *dots) total() {
	c := d.c
	var halves [dotsRows]reg.VecVirtual
	for r, sums := range d.sums {
		c.VADDPS(sums[1], sums[0], sums[0])
		halves[r] = sums[0]
		if d.vector == 64 {
			low, high := c.YMM(), c.YMM()
			c.VEXTRACTF64X4(operand.Imm(1), sums[0], high)
			c.VADDPS(sums[0].AsY(), high, low)
			halves[r] = low
		}
	}
	first, second := c.YMM(), c.YMM()
	c.VHADDPS(halves[1], halves[0], first)
	c.VHADDPS(halves[3], halves[2], second)
	c.VHADDPS(second, first, first)
	high := c.XMM()
	c.VEXTRACTF128(operand.Imm(1), first, high)
	c.VADDPS(first.AsX(), high, high)
	c.VMOVUPS(high, operand.Mem{Base: d.dst})
}
