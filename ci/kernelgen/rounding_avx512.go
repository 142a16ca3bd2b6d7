package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeRoundingAVX512 writes the rounding of activations, with the operations of rounding_avx2.go,
// and so its bits. Columns that do not fill a vector are under a mask.
func writeRoundingAVX512(c *build.Context) {
	begin(c, "quantizeRows512", quantizeSignature,
		"quantizeRows512 is quantizeRows for at least one row and one column. The stride of x is in bytes.")
	dst, dstStride := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("dstStride"), c.GP64())
	scales, zeros := c.Load(c.Param("scales"), c.GP64()), c.Load(c.Param("zeros"), c.GP64())
	x, xStride := c.Load(c.Param("x"), c.GP64()), c.Load(c.Param("xStride"), c.GP64())
	rows, columns := c.Load(c.Param("rows"), c.GP64()), c.Load(c.Param("columns"), c.GP64())
	whole, at, bits, rest := c.GP64(), c.GP64(), c.GP32(), c.K()
	c.MOVQ(columns, whole)
	c.ANDQ(operand.Imm(15), columns)
	c.SUBQ(columns, whole)
	c.MOVL(operand.U32(math.MaxUint32), bits)
	c.BZHIL(columns.(reg.GPVirtual).As32(), bits, bits)
	c.KMOVW(bits, rest)
	nothing, most := zero512(c), c.ZMM()
	c.VPTERNLOGD(operand.Imm(0xFF), most, most, most)
	c.VPSRLD(operand.Imm(25), most, most)
	// along repeats body for the vectors of a row, the last one under a mask.
	along := func(name string, body func(x operand.Mem, mask reg.Register)) {
		from := operand.Mem{Base: x, Index: at, Scale: 4}
		c.XORQ(at, at)
		c.TESTQ(whole, whole)
		c.JE(operand.LabelRef(name + "Rest"))
		c.Label(name)
		body(from, nil)
		c.ADDQ(operand.Imm(16), at)
		c.CMPQ(at, whole)
		c.JL(operand.LabelRef(name))
		c.Label(name + "Rest")
		c.TESTQ(columns, columns)
		c.JE(operand.LabelRef(name + "Done"))
		body(from, rest)
		c.Label(name + "Done")
	}
	c.Label("row")
	low, high, finite := zero512(c), zero512(c), zero512(c)
	along("first", func(x operand.Mem, mask reg.Register) {
		v := c.ZMM()
		load(c, x, mask, v) // zeroes change neither
		c.VMINPS(v, low, low)
		c.VMAXPS(v, high, high)
		c.VFMADD231PS(v, nothing, finite)
	})
	half := func(v reg.VecVirtual, reduce func(ops ...operand.Op)) reg.VecVirtual {
		upper := c.YMM()
		c.VEXTRACTF64X4(operand.Imm(1), v, upper)
		reduce(v.AsY(), upper, upper)
		return reduced(c, upper, reduce)
	}
	finite = half(finite, c.VADDPS)
	low, high = half(low, c.VMINPS), half(high, c.VMAXPS)
	c.VADDSS(finite, low, low)
	c.VADDSS(finite, high, high)
	one, other := stepOf(c, low, high, scales, zeros)
	inverse, shift := c.ZMM(), c.ZMM()
	c.VBROADCASTSS(one, inverse)
	c.VPBROADCASTD(other, shift)
	along("second", func(x operand.Mem, mask reg.Register) {
		v := c.ZMM()
		to := operand.Mem{Base: dst, Index: at, Scale: 1}
		load(c, x, mask, v)
		c.VMULPS(inverse, v, v)
		c.VCVTPS2DQ(v, v)
		c.VPADDD(shift, v, v)
		c.VPMINSD(most, v, v)
		c.VPMAXSD(nothing, v, v)
		if mask == nil {
			c.VPMOVDB(v, to)
		} else {
			c.VPMOVDB(v, mask, to)
		}
	})
	c.ADDQ(xStride, x)
	c.ADDQ(dstStride, dst)
	c.DECQ(rows)
	c.JNE(operand.LabelRef("row"))
	end(c)
}
