package main

import (
	"math"
	"strconv"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeSynthesisAVX2 writes the filter bank of MP3, and the sums of rows that its transforms are.
func writeSynthesisAVX2(c *build.Context) {
	writeBankCosines(c)
	writeBankWindow(c)
	writeCombine(c)
}

// bankCosines is the cosine transform of 32 subbands of eight samples. A register has one subband,
// or one result, of all eight.
type bankCosines struct {
	c       *build.Context
	scratch reg.Register
}

func (b *bankCosines) slot(i int) operand.Mem { return operand.Mem{Base: b.scratch, Disp: 32 * i} }

func (b *bankCosines) add(x operand.Op, y reg.VecVirtual) reg.VecVirtual {
	sum := b.c.YMM()
	b.c.VADDPS(x, y, sum)
	return sum
}

// folded returns the difference of x and y, divided as value i of a transform of a length is.
func (b *bankCosines) folded(x, y reg.VecVirtual, i, length int) reg.VecVirtual {
	difference := b.c.YMM()
	b.c.VSUBPS(y, x, difference)
	divisor := float32(0.5 / math.Cos(math.Pi*(float64(i)+0.5)/float64(length)))
	b.c.VMULPS(constant(b.c, "divisor"+strconv.Itoa(length)+"x"+strconv.Itoa(i), divisor), difference, difference)
	return difference
}

// registers transforms values that are in registers: 2, 4 or 8 of them.
func (b *bankCosines) registers(values []reg.VecVirtual) []reg.VecVirtual {
	n := len(values)
	if n == 1 {
		return values
	}
	var even, odd []reg.VecVirtual
	for i := range n / 2 {
		even = append(even, b.add(values[n-1-i], values[i]))
		odd = append(odd, b.folded(values[i], values[n-1-i], i, n))
	}
	even, odd = b.registers(even), b.registers(odd)
	results := make([]reg.VecVirtual, 0, n)
	for i := range n / 2 {
		if i+1 < n/2 {
			odd[i] = b.add(odd[i+1], odd[i])
		}
		results = append(results, even[i], odd[i])
	}
	return results
}

// half transforms the sixteen values of the slots from first on, in place, and returns where each
// result is.
func (b *bankCosines) half(first int) (places [16]int) {
	var sums [8]reg.VecVirtual
	for pair := range 4 {
		// Two pairs at a time: each is where the other's difference is put.
		var values [4]reg.VecVirtual
		at := [4]int{pair, 15 - pair, 7 - pair, 8 + pair}
		for i, v := range at {
			values[i] = loaded(b.c, b.slot(first+v))
		}
		sums[pair], sums[7-pair] = b.add(values[1], values[0]), b.add(values[3], values[2])
		b.c.VMOVUPS(b.folded(values[0], values[1], pair, 16), b.slot(first+8+pair))
		b.c.VMOVUPS(b.folded(values[2], values[3], 7-pair, 16), b.slot(first+15-pair))
	}
	for i, v := range b.registers(sums[:]) {
		b.c.VMOVUPS(v, b.slot(first+i))
		places[2*i] = first + i
	}
	for i := range sums {
		sums[i] = loaded(b.c, b.slot(first+8+i))
	}
	odd := b.registers(sums[:])
	for i, v := range odd {
		if i+1 < len(odd) {
			b.c.VADDPS(odd[i+1], v, v)
		}
		b.c.VMOVUPS(v, b.slot(first+8+i))
		places[2*i+1] = first + 8 + i
	}
	return places
}

func writeBankCosines(c *build.Context) {
	begin(c, "bankCosines8", "func(rows, subbands, scratch *float32)",
		"bankCosines8 makes the rows of eight samples of the bank: that of the first one at rows, each other 64 values before. "+
			"Subbands are 18 values apart. scratch has room for 256.")
	rows := c.Load(c.Param("rows"), c.GP64())
	subbands := c.Load(c.Param("subbands"), c.GP64())
	b := &bankCosines{c, c.Load(c.Param("scratch"), c.GP64())}
	for i := range 16 {
		low := loaded(c, operand.Mem{Base: subbands, Disp: 4 * 18 * i})
		high := loaded(c, operand.Mem{Base: subbands, Disp: 4 * 18 * (31 - i)})
		c.VMOVUPS(b.add(high, low), b.slot(i))
		c.VMOVUPS(b.folded(low, high, i, 32), b.slot(16+i))
	}
	even, odd := b.half(0), b.half(16)
	var places [32]int
	here := loaded(c, b.slot(odd[0]))
	for i := range 16 {
		places[2*i], places[2*i+1] = even[i], odd[i]
		if i+1 < 16 {
			next := loaded(c, b.slot(odd[i+1]))
			c.VADDPS(next, here, here)
			c.VMOVUPS(here, b.slot(odd[i]))
			here = next
		}
	}
	// A row has the results 16 to 31, nothing, 31 to 1, and 0 to 15.
	for from := 0; from < 64; from += 8 {
		var block [8]reg.VecVirtual
		for i := range block {
			switch at := from + i; {
			case at < 16:
				block[i] = loaded(c, b.slot(places[16+at]))
			case at == 16:
				block[i] = zero(c)
			case at < 48:
				block[i] = loaded(c, b.slot(places[48-at]))
			default:
				block[i] = loaded(c, b.slot(places[at-48]))
			}
		}
		for sample, v := range writeTurn(c, block) {
			c.VMOVUPS(v, operand.Mem{Base: rows, Disp: 4 * (from - 64*sample)})
		}
	}
	end(c)
}

func writeBankWindow(c *build.Context) {
	begin(c, "bankWindowx32", "func(dst, rows, window *float32, count int)",
		"bankWindowx32 makes 32 samples of sixteen rows, count times, at least once: the first of those at rows, and the next of rows that begin 64 values before.")
	dst := c.Load(c.Param("dst"), c.GP64())
	rows := c.Load(c.Param("rows"), c.GP64())
	window := c.Load(c.Param("window"), c.GP64())
	count := c.Load(c.Param("count"), c.GP64())
	each(c, count, 1, func() {
		sums := [4]reg.VecVirtual{zero(c), zero(c), zero(c), zero(c)}
		for i := range 8 {
			for half, from := range []int{128 * i, 128*i + 96} {
				for part, sum := range sums {
					v := loaded(c, operand.Mem{Base: window, Disp: 4 * (64*i + 32*half + 8*part)})
					c.VFMADD231PS(operand.Mem{Base: rows, Disp: 4 * (from + 8*part)}, v, sum)
				}
			}
		}
		for part, sum := range sums {
			c.VMOVUPS(sum, operand.Mem{Base: dst, Disp: 32 * part})
		}
		c.SUBQ(operand.I8(-128), dst)
		c.SUBQ(operand.U32(256), rows)
	})
	end(c)
}

func writeCombine(c *build.Context) {
	begin(c, "combinex24", "func(dst, rows, weights *float32, count int)", "combinex24 is combine for count rows, at least one.")
	dst := c.Load(c.Param("dst"), c.GP64())
	rows := c.Load(c.Param("rows"), c.GP64())
	weights := c.Load(c.Param("weights"), c.GP64())
	count := c.Load(c.Param("count"), c.GP64())
	sums := [3]reg.VecVirtual{zero(c), zero(c), zero(c)}
	each(c, count, 1, func() {
		w := c.YMM()
		c.VBROADCASTSS(operand.Mem{Base: weights}, w)
		for i, sum := range sums {
			c.VFMADD231PS(operand.Mem{Base: rows, Disp: 32 * i}, w, sum)
		}
		step(c, weights, 4)
		step(c, rows, 96)
	})
	for i, sum := range sums {
		c.VMOVUPS(sum, operand.Mem{Base: dst, Disp: 32 * i})
	}
	end(c)
}
