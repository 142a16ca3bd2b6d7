package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeGatherAVX512 writes gathered rows and signs with wide registers.
func writeGatherAVX512(c *build.Context) {
	lanes := func(name string, value func(lane int) uint32) operand.Mem {
		constant := c.StaticGlobal(name)
		c.DataAttributes(attr.RODATA | attr.NOPTR)
		for lane := range 16 {
			c.AddDatum(4*lane, operand.U32(value(lane)))
		}
		return constant
	}
	orders := gatherOrders{
		values: lanes("values", func(lane int) uint32 { return math.Float32bits(float32(lane - 8)) }),
		even:   lanes("even", func(lane int) uint32 { return uint32(2 * lane) }),
		odd:    lanes("odd", func(lane int) uint32 { return uint32(2*lane + 1) }),
		// Lanes of the second register count from sixteen.
		first:  lanes("first", func(lane int) uint32 { return uint32(lane/2 + lane%2*16) }),
		second: lanes("second", func(lane int) uint32 { return uint32(8 + lane/2 + lane%2*16) }),
	}
	for _, columns := range []int{gatherWide, gatherNarrow} {
		writeGather(c, gatherNames[columns]+"AVX512", func() { gatherAVX512(c, columns, &orders) })
	}
	writeSigns(c, "addSigns512", func() { signsAVX512(c) })
}

// gatherOrders are the value of each nibble, and orders of columns.
type gatherOrders struct{ values, even, odd, first, second operand.Mem }

// gatherAVX512 sums the even and the odd columns of sixteen bytes in a register each. A permutation
// looks at the low four bits of each lane alone, so it turns nibbles into their values.
func gatherAVX512(c *build.Context, columns int, orders *gatherOrders) {
	var even, odd []reg.VecVirtual
	for range columns / 32 {
		even, odd = append(even, c.ZMM()), append(odd, c.ZMM())
	}
	constant := func(at operand.Mem) reg.VecVirtual {
		all := c.ZMM()
		c.VMOVUPS(at, all)
		return all
	}
	values, evens, odds := constant(orders.values), constant(orders.even), constant(orders.odd)
	firsts, seconds := constant(orders.first), constant(orders.second)
	g := gatherer{clear: func() {
		for i := range even {
			c.VPXORD(even[i], even[i], even[i])
			c.VPXORD(odd[i], odd[i], odd[i])
		}
	}, load: func(dst reg.Register) {
		for i := range even {
			second := c.ZMM()
			c.VMOVUPS(operand.Mem{Base: dst, Disp: 128 * i}, even[i])
			c.VMOVUPS(operand.Mem{Base: dst, Disp: 128*i + 64}, second)
			c.VMOVAPS(even[i], odd[i])
			c.VPERMT2PS(second, evens, even[i])
			c.VPERMT2PS(second, odds, odd[i])
		}
	}, store: func(dst reg.Register) {
		for i := range even {
			second := c.ZMM()
			c.VMOVAPS(even[i], second)
			c.VPERMT2PS(odd[i], firsts, even[i])
			c.VPERMT2PS(odd[i], seconds, second)
			c.VMOVUPS(even[i], operand.Mem{Base: dst, Disp: 128 * i})
			c.VMOVUPS(second, operand.Mem{Base: dst, Disp: 128*i + 64})
		}
	}, add: func(row reg.Register, scale operand.Mem) {
		all := c.ZMM()
		c.VBROADCASTSS(scale, all)
		for i := range even {
			x, v := c.ZMM(), c.ZMM()
			c.VPMOVZXBD(operand.Mem{Base: row, Disp: 16 * i}, x)
			c.VPERMPS(values, x, v)
			c.VPSRLD(operand.Imm(4), x, x)
			c.VPERMPS(values, x, x)
			c.VFMADD231PS(all, v, even[i])
			c.VFMADD231PS(all, x, odd[i])
		}
	}}
	g.write(c, columns)
}

// signsAVX512 is signsAVX2, with one instruction for the sign of w.
func signsAVX512(c *build.Context) {
	shifts := signShifts(c)
	sign := c.ZMM()
	c.VPTERNLOGD(operand.Imm(0xFF), sign, sign, sign)
	c.VPSLLD(operand.Imm(31), sign, sign)
	var sums, shift []reg.VecVirtual
	for i := range 2 {
		shift = append(shift, c.ZMM())
		c.VMOVUPS(shifts.Offset(64*i), shift[i])
	}
	for range 4 {
		sums = append(sums, c.ZMM())
	}
	signs(c, func(dst reg.Register) {
		for i, sum := range sums {
			c.VMOVUPS(operand.Mem{Base: dst, Disp: 64 * i}, sum)
		}
	}, func(dst reg.Register) {
		for i, sum := range sums {
			c.VMOVUPS(sum, operand.Mem{Base: dst, Disp: 64 * i})
		}
	}, func(z, w operand.Mem) {
		all, bits := c.ZMM(), c.ZMM()
		c.VBROADCASTSS(w, all)
		for i, sum := range sums {
			if i%2 == 0 {
				c.VPBROADCASTD(z.Offset(2*i), bits)
			}
			// The sign is that of w unless the column's bit is zero, and the other bits are w's.
			v := c.ZMM()
			c.VPSLLVD(shift[i%2], bits, v)
			c.VPTERNLOGD(operand.Imm(signOfBit), all, sign, v)
			c.VADDPS(v, sum, sum)
		}
	})
}

// signOfBit is w XOR (sign AND NOT bit), as a function of bit, sign and w.
const signOfBit = 0xA6
