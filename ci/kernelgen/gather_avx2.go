package main

import (
	"encoding/binary"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeGatherAVX2 writes the sums of bags of n-grams: gathered rows of a table, signs, and sums
// over positions.
func writeGatherAVX2(c *build.Context) {
	t := int4Tables{
		low:     table256(c, "int4Low", func(i int) byte { return byte(math.Float32bits(float32(i%16-8)) >> 16) }),
		high:    table256(c, "int4High", func(i int) byte { return byte(math.Float32bits(float32(i%16-8)) >> 24) }),
		nibbles: table256(c, "nibbles", func(int) byte { return 15 }),
		shifts:  table256(c, "nibbleShifts", func(i int) byte { return byte(i / 16 * 4 * (1 - min(i%8, 1))) }),
		upper:   table256(c, "upperHalves", func(i int) byte { return byte(i % 4 / 2 * 0xFF) }),
		lanes:   table256(c, "lanesInterleaved", func(i int) byte { return byte((i/8 + i/4%2*4) * (1 - min(i%4, 1))) }),
		apart:   table256(c, "lanesApart", func(i int) byte { return byte((i/4%4*2 + i/16) * (1 - min(i%4, 1))) }),
	}
	for _, columns := range []int{gatherWide, gatherNarrow} {
		writeGather(c, gatherNames[columns], func() { gatherAVX2(c, columns, &t) })
	}
	writeSigns(c, "addSignsx64", func() { signsAVX2(c) })
	writeAccumulate(c)
}

// Rows are taken in pieces of gatherWide columns, whose sums fill the registers of AVX2, and the
// rest in pieces of gatherNarrow.
const (
	gatherWide   = 96
	gatherNarrow = 32
)

var gatherNames = map[int]string{gatherWide: "gatherInt4x96", gatherNarrow: "gatherInt4x32"}

// gatherAhead is how many rows before its use a row is prefetched: a row takes some ten cycles, and
// memory that is shared by the cores about two hundred.
const gatherAhead = 20

func writeGather(c *build.Context, name string, write func()) {
	begin(c, name, "func(dst *float32, stride int, headBytes *byte, headScales *float32, heads *byte, bytes *byte, rowBytes int, scales *float32, rows *uint32, first, last int, ends *int, count int)",
		gatherDoc(name))
	write()
	end(c)
}

func gatherDoc(name string) string {
	return name + " is gatherInt4 for a piece of each of count rows of dst, of which one begins stride bytes after the other. The first takes rows from first on; last is the place of the last row of the list. Without heads, the sums begin with dst."
}

// gatherer is what a path does with the sums of a position and a piece of a row.
type gatherer struct {
	clear       func()
	load, store func(dst reg.Register)
	add         func(row reg.Register, scale operand.Mem)
}

// write is the loop over positions and their rows.
func (g *gatherer) write(c *build.Context, columns int) {
	dst := c.Load(c.Param("dst"), c.GP64())
	heads := c.Load(c.Param("heads"), c.GP64())
	bytes := c.Load(c.Param("bytes"), c.GP64())
	rowBytes := c.Load(c.Param("rowBytes"), c.GP64())
	scales := c.Load(c.Param("scales"), c.GP64())
	rows := c.Load(c.Param("rows"), c.GP64())
	at := c.Load(c.Param("first"), c.GP64())
	last := c.Load(c.Param("last"), c.GP64())
	ends := c.Load(c.Param("ends"), c.GP64())
	count := c.Load(c.Param("count"), c.GP64())
	row, scale, end := c.GP64(), c.GP64(), c.GP64()
	c.Label("position")
	c.TESTQ(heads, heads)
	c.JEQ(operand.LabelRef("load"))
	g.clear()
	c.MOVBLZX(operand.Mem{Base: heads}, row.As32())
	c.INCQ(heads)
	c.MOVQ(address(c.Param("headScales")), scale)
	c.LEAQ(operand.Mem{Base: scale, Index: row, Scale: 4}, scale)
	c.IMULQ(rowBytes, row)
	c.ADDQ(address(c.Param("headBytes")), row)
	g.add(row, operand.Mem{Base: scale})
	c.JMP(operand.LabelRef("begun"))
	c.Label("load")
	g.load(dst)
	c.Label("begun")
	c.MOVQ(operand.Mem{Base: ends}, end)
	c.JMP(operand.LabelRef("more"))
	c.Label("row")
	ahead := scale
	c.LEAQ(operand.Mem{Base: at, Disp: gatherAhead}, ahead)
	c.CMPQ(ahead, last)
	c.CMOVQGT(last, ahead)
	c.MOVL(operand.Mem{Base: rows, Index: ahead, Scale: 4}, ahead.As32())
	c.PREFETCHT0(operand.Mem{Base: scales, Index: ahead, Scale: 4})
	c.IMULQ(rowBytes, ahead)
	c.PREFETCHT0(operand.Mem{Base: bytes, Index: ahead, Scale: 1})
	c.PREFETCHT0(operand.Mem{Base: bytes, Index: ahead, Scale: 1, Disp: columns/2 - 1})
	c.MOVL(operand.Mem{Base: rows, Index: at, Scale: 4}, row.As32())
	c.LEAQ(operand.Mem{Base: scales, Index: row, Scale: 4}, scale)
	c.IMULQ(rowBytes, row)
	c.ADDQ(bytes, row)
	g.add(row, operand.Mem{Base: scale})
	c.INCQ(at)
	c.Label("more")
	c.CMPQ(at, end)
	c.JLT(operand.LabelRef("row"))
	g.store(dst)
	c.ADDQ(address(c.Param("stride")), dst)
	step(c, ends, 8)
	c.DECQ(count)
	c.JNE(operand.LabelRef("position"))
}

// int4Tables are the constants of gatherAVX2.
type int4Tables struct{ low, high, nibbles, shifts, upper, lanes, apart operand.Mem }

// table256 returns a constant of 32 bytes.
func table256(c *build.Context, name string, value func(i int) byte) operand.Mem {
	constant := c.StaticGlobal(name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for word := range 4 {
		var bytes [8]byte
		for i := range bytes {
			bytes[i] = value(8*word + i)
		}
		c.AddDatum(8*word, operand.U64(binary.LittleEndian.Uint64(bytes[:])))
	}
	return constant
}

// gatherAVX2 takes 32 columns, sixteen bytes, at a time: their low nibbles in one lane, the high
// ones in the other. The upper half of a nibble's value as a float is found in two tables, a byte
// in each, which needs fewer instructions than a conversion: of a word of two halves, the first is
// shifted to its place, and the second is there.
func gatherAVX2(c *build.Context, columns int, t *int4Tables) {
	// Of sixteen columns in turn, the first sum has 0, 4, 8, 12 in its lower lane and 1, 5, 9, 13
	// in the upper one, and the second has those two further on.
	var sums [][2]reg.VecVirtual
	for range columns / 16 {
		sums = append(sums, [2]reg.VecVirtual{c.YMM(), c.YMM()})
	}
	g := gatherer{clear: func() {
		for _, pair := range sums {
			for _, sum := range pair {
				c.VXORPS(sum, sum, sum)
			}
		}
	}, load: func(dst reg.Register) {
		order := c.YMM()
		c.VMOVDQU(t.apart, order)
		for i, pair := range sums {
			first, second := c.YMM(), c.YMM()
			c.VPERMPS(operand.Mem{Base: dst, Disp: 64 * i}, order, first)
			c.VPERMPS(operand.Mem{Base: dst, Disp: 64*i + 32}, order, second)
			c.VSHUFPS(operand.Imm(0x88), second, first, pair[0])
			c.VSHUFPS(operand.Imm(0xDD), second, first, pair[1])
		}
	}, store: func(dst reg.Register) {
		order := c.YMM()
		c.VMOVDQU(t.lanes, order)
		for i, pair := range sums {
			first := c.YMM()
			c.VUNPCKLPS(pair[1], pair[0], first)
			c.VUNPCKHPS(pair[1], pair[0], pair[1])
			c.VPERMPS(first, order, first)
			c.VPERMPS(pair[1], order, pair[1])
			c.VMOVUPS(first, operand.Mem{Base: dst, Disp: 64 * i})
			c.VMOVUPS(pair[1], operand.Mem{Base: dst, Disp: 64*i + 32})
		}
	}, add: func(row reg.Register, scale operand.Mem) {
		all := c.YMM()
		c.VBROADCASTSS(scale, all)
		for i := 0; i < len(sums); i += 2 {
			x, low, high := c.YMM(), c.YMM(), c.YMM()
			c.VBROADCASTI128(operand.Mem{Base: row, Disp: 8 * i}, x)
			c.VPSRLVQ(t.shifts, x, x)
			c.VPAND(t.nibbles, x, x)
			c.VMOVDQU(t.low, low)
			c.VMOVDQU(t.high, high)
			c.VPSHUFB(x, low, low)
			c.VPSHUFB(x, high, high)
			c.VPUNPCKLBW(high, low, x)
			c.VPUNPCKHBW(high, low, low)
			for half, words := range []reg.VecVirtual{x, low} {
				c.VPSLLD(operand.Imm(16), words, high)
				c.VPAND(t.upper, words, words)
				c.VFMADD231PS(all, high, sums[i+half][0])
				c.VFMADD231PS(all, words, sums[i+half][1])
			}
		}
	}}
	g.write(c, columns)
}

func writeSigns(c *build.Context, name string, write func()) {
	begin(c, name, "func(dst *float32, hashes *uint64, offset uint64, w *float32, count int)",
		signsDoc(name))
	write()
	end(c)
}

func signsDoc(name string) string {
	return name + " is addSigns for 64 columns, those of one word of signs with its offset, and count hashes."
}

// The multipliers of Signs in internal/kernel.
const (
	signsFirst  = 0xBF58476D1CE4E5B9
	signsSecond = 0x94D049BB133111EB
)

// signs is the loop over hashes. load and store move 64 sums; add adds those of one hash, whose
// signs are the 64 bits at z. The signs are computed beside the sums, which leave the units for
// integers free.
func signs(c *build.Context, load, store func(dst reg.Register), add func(z, w operand.Mem)) {
	dst := c.Load(c.Param("dst"), c.GP64())
	hashes := c.Load(c.Param("hashes"), c.GP64())
	offset := c.Load(c.Param("offset"), c.GP64())
	w := c.Load(c.Param("w"), c.GP64())
	count := c.Load(c.Param("count"), c.GP64())
	first, second := c.GP64(), c.GP64()
	c.MOVQ(operand.U64(signsFirst), first)
	c.MOVQ(operand.U64(signsSecond), second)
	bits := c.AllocLocal(8)
	load(dst)
	c.Label("hash")
	z, shifted := c.GP64(), c.GP64()
	mix := func(shift uint64) {
		c.MOVQ(z, shifted)
		c.SHRQ(operand.Imm(shift), shifted)
		c.XORQ(shifted, z)
	}
	c.MOVQ(operand.Mem{Base: hashes}, z)
	c.ADDQ(offset, z)
	mix(30)
	c.IMULQ(first, z)
	mix(27)
	c.IMULQ(second, z)
	mix(31)
	c.MOVQ(z, bits)
	add(bits, operand.Mem{Base: w})
	step(c, hashes, 8)
	step(c, w, 4)
	c.DECQ(count)
	c.JNE(operand.LabelRef("hash"))
	store(dst)
}

// signShifts is, for each of 32 columns, the shift that moves its bit into the sign of its lane.
func signShifts(c *build.Context) operand.Mem {
	shifts := c.StaticGlobal("shifts")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for bit := range 32 {
		c.AddDatum(4*bit, operand.U32(31-bit))
	}
	return shifts
}

// signsAVX2 shifts each column's bit into the sign of its lane: a one there turns −w into w.
func signsAVX2(c *build.Context) {
	shifts := signShifts(c)
	sign := c.YMM()
	c.VPCMPEQD(sign, sign, sign)
	c.VPSLLD(operand.Imm(31), sign, sign)
	var sums []reg.VecVirtual
	for range 8 {
		sums = append(sums, c.YMM())
	}
	signs(c, func(dst reg.Register) {
		for i, sum := range sums {
			c.VMOVUPS(operand.Mem{Base: dst, Disp: 32 * i}, sum)
		}
	}, func(dst reg.Register) {
		for i, sum := range sums {
			c.VMOVUPS(sum, operand.Mem{Base: dst, Disp: 32 * i})
		}
	}, func(z, w operand.Mem) {
		minus, bits := c.YMM(), c.YMM()
		c.VBROADCASTSS(w, minus)
		c.VXORPS(sign, minus, minus)
		for i, sum := range sums {
			if i%4 == 0 {
				c.VPBROADCASTD(z.Offset(i), bits)
			}
			v := c.YMM()
			c.VPSLLVD(shifts.Offset(32*(i%4)), bits, v)
			c.VPAND(sign, v, v)
			c.VXORPS(minus, v, v)
			c.VADDPS(v, sum, sum)
		}
	})
}

const accumulateDoc = "accumulatex16 is accumulate for n scalars, a multiple of 16, of each of count rows, of which one begins stride bytes after the other."

// writeAccumulate widens sixteen scalars at a time, of one row after the other.
func writeAccumulate(c *build.Context) {
	begin(c, "accumulatex16", "func(sum *float64, rows *float32, stride, count, n int)",
		accumulateDoc)
	sum := c.Load(c.Param("sum"), c.GP64())
	rows := c.Load(c.Param("rows"), c.GP64())
	stride := c.Load(c.Param("stride"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	var sums []reg.VecVirtual
	for range 4 {
		sums = append(sums, c.YMM())
	}
	each(c, n, 16, func() {
		row, count := c.GP64(), c.GP64()
		c.MOVQ(rows, row)
		c.MOVQ(address(c.Param("count")), count)
		for i, v := range sums {
			c.VMOVUPD(operand.Mem{Base: sum, Disp: 32 * i}, v)
		}
		c.Label("row")
		for i, v := range sums {
			wide := c.YMM()
			c.VCVTPS2PD(operand.Mem{Base: row, Disp: 16 * i}, wide)
			c.VADDPD(wide, v, v)
		}
		c.ADDQ(stride, row)
		c.DECQ(count)
		c.JNE(operand.LabelRef("row"))
		for i, v := range sums {
			c.VMOVUPD(v, operand.Mem{Base: sum, Disp: 32 * i})
		}
		step(c, sum, 128)
		step(c, rows, 64)
	})
	end(c)
}
