package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The steps of JPEG's inverse transform, as in internal/kernel/inverse.go.
const (
	inverseBits  = 13
	inverseExtra = 2
)

// writeInverseAVX2 writes JPEG's inverse transform. A register holds a row of eight, in 32 bits,
// which wrap as Go's do.
func writeInverseAVX2(c *build.Context) {
	begin(c, "inverse8x8", "func(dst *byte, stride int, coefficients *int16, quantizers *uint16)",
		"inverse8x8 is inverse. Rows of dst begin stride bytes after each other.")
	dst := c.Load(c.Param("dst"), c.GP64())
	stride := c.Load(c.Param("stride"), c.GP64())
	coefficients := c.Load(c.Param("coefficients"), c.GP64())
	quantizers := c.Load(c.Param("quantizers"), c.GP64())
	load := func(row int) reg.VecVirtual {
		v, q := c.YMM(), c.YMM()
		c.VPMOVSXWD(operand.Mem{Base: coefficients, Disp: 16 * row}, v)
		c.VPMOVZXWD(operand.Mem{Base: quantizers, Disp: 16 * row}, q)
		c.VPMULLD(q, v, v)
		return v
	}
	rows := writeInversePass(c, load, words(c, "columnsHalf", 1<<(inverseBits-inverseExtra-1)), inverseBits-inverseExtra)
	turned := writeTurn(c, rows)
	// Samples are centred at 128.
	const down = inverseBits + inverseExtra + 3
	samples := writeInversePass(c, func(row int) reg.VecVirtual { return turned[row] }, words(c, "rowsHalf", 1<<(down-1)+128<<down), down)
	writeSamples(c, samples, dst, stride)
	end(c)
}

// writeInversePass transforms eight columns at once. load is called once for each row.
func writeInversePass(c *build.Context, load func(row int) reg.VecVirtual, half operand.Mem, down uint64) (out [8]reg.VecVirtual) {
	multiply := func(v reg.VecVirtual, name string, by int32) reg.VecVirtual {
		product := c.YMM()
		c.VPMULLD(words(c, name, by), v, product)
		return product
	}
	add := func(a, b reg.VecVirtual) reg.VecVirtual {
		sum := c.YMM()
		c.VPADDD(b, a, sum)
		return sum
	}
	subtract := func(a, b reg.VecVirtual) reg.VecVirtual {
		difference := c.YMM()
		c.VPSUBD(b, a, difference)
		return difference
	}
	// The even part, to which the half that rounds is added.
	a, b := load(2), load(6)
	z := multiply(add(a, b), "f0541", 4433)
	t2 := add(z, multiply(b, "f1847", -15137))
	t3 := add(z, multiply(a, "f0765", 6270))
	a, b = load(0), load(4)
	t0, t1 := add(a, b), subtract(a, b)
	for _, t := range []reg.VecVirtual{t0, t1} {
		c.VPSLLD(operand.Imm(inverseBits), t, t)
		c.VPADDD(half, t, t)
	}
	even := [4]reg.VecVirtual{add(t0, t3), add(t1, t2), subtract(t1, t2), subtract(t0, t3)}
	// The odd part.
	t0, t1, t2, t3 = load(7), load(5), load(3), load(1)
	z1, z2, z3, z4 := add(t0, t3), add(t1, t2), add(t0, t2), add(t1, t3)
	z5 := multiply(add(z3, z4), "f1175", 9633)
	z3 = add(z5, multiply(z3, "f1961", -16069))
	z4 = add(z5, multiply(z4, "f0390", -3196))
	z1, z2 = multiply(z1, "f0899", -7373), multiply(z2, "f2562", -20995)
	odd := [4]reg.VecVirtual{
		add(add(multiply(t3, "f1501", 12299), z1), z4),
		add(add(multiply(t2, "f3072", 25172), z2), z3),
		add(add(multiply(t1, "f2053", 16819), z2), z4),
		add(add(multiply(t0, "f0298", 2446), z1), z3),
	}
	for i := range even {
		out[i], out[7-i] = add(even[i], odd[i]), subtract(even[i], odd[i])
	}
	for _, v := range out {
		c.VPSRAD(operand.Imm(down), v, v)
	}
	return out
}

// writeTurn transposes eight rows of eight, in three rounds: pairs of scalars, pairs of those,
// halves.
func writeTurn(c *build.Context, rows [8]reg.VecVirtual) (columns [8]reg.VecVirtual) {
	var pairs, fours [8]reg.VecVirtual
	for r := 0; r < 8; r += 2 {
		pairs[r], pairs[r+1] = c.YMM(), c.YMM()
		c.VPUNPCKLDQ(rows[r+1], rows[r], pairs[r])
		c.VPUNPCKHDQ(rows[r+1], rows[r], pairs[r+1])
	}
	for r := 0; r < 8; r += 4 {
		for half := range 2 {
			fours[r+2*half], fours[r+2*half+1] = c.YMM(), c.YMM()
			c.VPUNPCKLQDQ(pairs[r+2+half], pairs[r+half], fours[r+2*half])
			c.VPUNPCKHQDQ(pairs[r+2+half], pairs[r+half], fours[r+2*half+1])
		}
	}
	for r := range 4 {
		columns[r], columns[r+4] = c.YMM(), c.YMM()
		c.VINSERTI128(operand.Imm(1), fours[r+4].AsX(), fours[r], columns[r])
		c.VPERM2I128(operand.Imm(0x31), fours[r+4], fours[r], columns[r+4])
	}
	return columns
}

// writeSamples clamps eight columns of samples to bytes, and stores them as rows.
func writeSamples(c *build.Context, columns [8]reg.VecVirtual, dst, stride reg.Register) {
	// After both rounds of packing a half of the register has four rows: of columns 0, 4, 1 and 5
	// in the first one, of 2, 6, 3 and 7 in the second.
	var packed [2]reg.VecVirtual
	for i := range packed {
		packed[i] = c.YMM()
		other := c.YMM()
		c.VPACKSSDW(columns[2*i+4], columns[2*i], packed[i])
		c.VPACKSSDW(columns[2*i+5], columns[2*i+1], other)
		c.VPACKUSWB(other, packed[i], packed[i])
	}
	even, odd, left, right := c.YMM(), c.YMM(), c.YMM(), c.YMM()
	c.VPUNPCKLBW(packed[1], packed[0], even)
	c.VPUNPCKHBW(packed[1], packed[0], odd)
	c.VPUNPCKLBW(odd, even, left)
	c.VPUNPCKHBW(odd, even, right)
	first, second := c.YMM(), c.YMM()
	c.VPUNPCKLDQ(right, left, first)
	c.VPUNPCKHDQ(right, left, second)
	for half := range 2 {
		for i, v := range []reg.VecVirtual{first, second} {
			two := v.AsX()
			if half == 1 {
				two = c.XMM()
				c.VEXTRACTI128(operand.Imm(1), v, two)
			}
			c.VMOVQ(two, operand.Mem{Base: dst})
			c.VMOVHPS(two, operand.Mem{Base: dst, Index: stride, Scale: 1})
			if half+i < 2 {
				c.LEAQ(operand.Mem{Base: dst, Index: stride, Scale: 2}, dst)
			}
		}
	}
}
