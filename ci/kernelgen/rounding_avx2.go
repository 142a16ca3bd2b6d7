package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeRoundingAVX2 writes the rounding of rows to bytes: of activations, and of weights that are
// packed while a model runs. Rows are short, so that one call takes many.
func writeRoundingAVX2(c *build.Context) {
	writeExtremes(c)
	writeQuantizeRows(c)
	writeSignedRows(c)
}

// writeExtremes also serves the packing of weights at load, where rows are of any length.
func writeExtremes(c *build.Context) {
	begin(c, "extremesx8", "func(x *float32, n int) (low, high float32)", "extremesx8 returns the lowest and the highest of n scalars, a multiple of 8, and 0, or NaN if one of them is not finite.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	// A minimum ignores a NaN. A sum of x·0 keeps it.
	low, high, nothing, finite := zero(c), zero(c), zero(c), zero(c)
	each(c, n, 8, func() {
		c.VMINPS(operand.Mem{Base: x}, low, low)
		c.VMAXPS(operand.Mem{Base: x}, high, high)
		c.VFMADD231PS(operand.Mem{Base: x}, nothing, finite)
		step(c, x, 32)
	})
	finite = reduced(c, finite, c.VADDPS)
	for i, v := range []reg.VecVirtual{reduced(c, low, c.VMINPS), reduced(c, high, c.VMAXPS)} {
		c.VADDSS(finite, v, v)
		c.VMOVSS(v, address(c.ReturnIndex(i)))
	}
	end(c)
}

// reduced returns a register with the reduction of the eight lanes of v in each of its lanes.
func reduced(c *build.Context, v reg.VecVirtual, reduce func(ops ...operand.Op)) reg.VecVirtual {
	one, other := c.XMM(), c.XMM()
	c.VEXTRACTF128(operand.Imm(1), v, one)
	reduce(v.AsX(), one, one)
	for _, order := range []uint64{0x4E, 0xB1} {
		c.VPERMILPS(operand.Imm(order), one, other)
		reduce(other, one, one)
	}
	return one
}

// rowLoop is a loop over rows of x, with two loops over the columns of each, eight at a time.
type rowLoop struct {
	c                         *build.Context
	x, xStride, rows, columns reg.Register
	at                        reg.GPVirtual // the first column of a vector
	loops                     int
}

func newRowLoop(c *build.Context) *rowLoop {
	return &rowLoop{
		c: c, at: c.GP64(),
		x: c.Load(c.Param("x"), c.GP64()), xStride: c.Load(c.Param("xStride"), c.GP64()),
		rows: c.Load(c.Param("rows"), c.GP64()), columns: c.Load(c.Param("columns"), c.GP64()),
	}
}

func (l *rowLoop) each(body func()) {
	l.c.Label("row")
	body()
	l.c.ADDQ(l.xStride, l.x)
	l.c.DECQ(l.rows)
	l.c.JNE(operand.LabelRef("row"))
}

// along repeats body for the vectors of a row.
func (l *rowLoop) along(body func(x operand.Mem)) {
	name := []string{"first", "second"}[l.loops]
	l.loops++
	l.c.XORQ(l.at, l.at)
	l.c.Label(name)
	body(operand.Mem{Base: l.x, Index: l.at, Scale: 4})
	l.c.ADDQ(operand.Imm(8), l.at)
	l.c.CMPQ(l.at, l.columns)
	l.c.JL(operand.LabelRef(name))
}

const quantizeSignature = "func(dst *byte, dstStride int, x *float32, xStride, rows, columns int, scales, zeros *float32)"

// stepOf computes the scale, the inverse and the zero of a row from its lowest and highest scalar,
// to each lane of XMM registers: inverse and zero are 0 unless all of it is finite and not 0. It
// stores the scale and the zero, and advances their pointers.
func stepOf(c *build.Context, low, high, scales, zeros reg.Register) (inverse, shift reg.VecVirtual) {
	size, zeroFloat := c.XMM(), c.XMM()
	inverse, shift = c.XMM(), c.XMM()
	c.VSUBSS(low, high, size)
	c.VDIVSS(constant(c, "most", 127), size, size)
	c.VMOVSS(size, operand.Mem{Base: scales})
	usable := usableInverse(c, constant(c, "one", 1), size, inverse)
	c.VXORPS(constant(c, "sign", float32(math.Copysign(0, -1))), low, low)
	c.VMULSS(inverse, low, low)
	c.VCVTPS2DQ(low, shift)
	c.VPAND(usable, shift, shift)
	c.VCVTDQ2PS(shift, zeroFloat)
	c.VMOVSS(zeroFloat, operand.Mem{Base: zeros})
	step(c, scales, 4)
	step(c, zeros, 4)
	return inverse, shift
}

// usableInverse writes what over size to inverse, or 0 unless size is more than 0 and the quotient
// finite, and returns the mask of that, in the first lane.
func usableInverse(c *build.Context, what operand.Mem, size, inverse reg.Register) (usable reg.VecVirtual) {
	usable = c.XMM()
	bounded, none := c.XMM(), c.XMM()
	c.VMOVSS(what, inverse)
	c.VDIVSS(size, inverse, inverse)
	c.VXORPS(none, none, none)
	c.VCMPSS(operand.Imm(14), none, size, usable)                                             // greater than
	c.VCMPSS(operand.Imm(1), constant(c, "infinity", float32(math.Inf(1))), inverse, bounded) // less than
	c.VANDPS(bounded, usable, usable)
	c.VANDPS(usable, inverse, inverse)
	return usable
}

func writeQuantizeRows(c *build.Context) {
	begin(c, "quantizeRowsx8", quantizeSignature,
		"quantizeRowsx8 is quantizeRows for at least one row and a multiple of 8 columns. The stride of x is in bytes.")
	dst, dstStride := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("dstStride"), c.GP64())
	scales, zeros := c.Load(c.Param("scales"), c.GP64()), c.Load(c.Param("zeros"), c.GP64())
	l := newRowLoop(c)
	nothing, most := zero(c), c.YMM()
	c.VPCMPEQD(most, most, most)
	c.VPSRLD(operand.Imm(25), most, most)
	l.each(func() {
		low, high, finite := zero(c), zero(c), zero(c)
		l.along(func(x operand.Mem) {
			v := c.YMM()
			c.VMOVUPS(x, v)
			c.VMINPS(v, low, low)
			c.VMAXPS(v, high, high)
			c.VFMADD231PS(v, nothing, finite)
		})
		finite = reduced(c, finite, c.VADDPS)
		low, high = reduced(c, low, c.VMINPS), reduced(c, high, c.VMAXPS)
		c.VADDSS(finite, low, low)
		c.VADDSS(finite, high, high)
		one, other := stepOf(c, low, high, scales, zeros)
		inverse, shift := c.YMM(), c.YMM()
		c.VBROADCASTSS(one, inverse)
		c.VPBROADCASTD(other, shift)
		l.along(func(x operand.Mem) {
			v, upper := c.YMM(), c.XMM()
			c.VMULPS(x, inverse, v)
			c.VCVTPS2DQ(v, v)
			c.VPADDD(shift, v, v)
			c.VPMINSD(most, v, v)
			c.VEXTRACTI128(operand.Imm(1), v, upper)
			c.VPACKSSDW(upper, v.AsX(), upper)
			c.VPACKUSWB(upper, upper, upper)
			c.VMOVQ(upper, operand.Mem{Base: dst, Index: l.at, Scale: 1})
		})
		c.ADDQ(dstStride, dst)
	})
	end(c)
}

// writeSignedRows rounds rows of weights, and writes each four bytes of a row to a line of a panel.
func writeSignedRows(c *build.Context) {
	begin(c, "signedRowsx8", "func(dst *int8, x *float32, xStride, rows, columns int, scales, sums *float32)",
		"signedRowsx8 rounds rows of weights, at least one and at most sixteen, to a panel: the first four bytes of a row, four bytes after those of the row before, the next four of it 64 bytes after its first, and so on. "+
			"columns is a multiple of 8. The stride of x is in bytes.")
	dst := c.Load(c.Param("dst"), c.GP64())
	scales, sums := c.Load(c.Param("scales"), c.GP64()), c.Load(c.Param("sums"), c.GP64())
	l := newRowLoop(c)
	nothing, magnitude := zero(c), c.YMM()
	c.VPCMPEQD(magnitude, magnitude, magnitude)
	c.VPSRLD(operand.Imm(1), magnitude, magnitude)
	l.each(func() {
		largest, finite := zero(c), zero(c)
		l.along(func(x operand.Mem) {
			v, size := c.YMM(), c.YMM()
			c.VMOVUPS(x, v)
			c.VANDPS(v, magnitude, size)
			c.VMAXPS(size, largest, largest)
			c.VFMADD231PS(v, nothing, finite)
		})
		finite, largest = reduced(c, finite, c.VADDPS), reduced(c, largest, c.VMAXPS)
		c.VADDSS(finite, largest, largest)
		one, size := c.XMM(), c.XMM()
		c.VDIVSS(constant(c, "most", 127), largest, size)
		c.VMOVSS(size, operand.Mem{Base: scales})
		usable := usableInverse(c, constant(c, "most", 127), largest, one)
		inverse, mask, sum := c.YMM(), c.YMM(), zero(c)
		c.VBROADCASTSS(one, inverse)
		c.VBROADCASTSS(usable, mask)
		to := c.GP64()
		c.MOVQ(dst, to)
		l.along(func(x operand.Mem) {
			v, upper := c.YMM(), c.XMM()
			c.VMULPS(x, inverse, v)
			c.VCVTPS2DQ(v, v)
			c.VPAND(mask, v, v)
			c.VPADDD(v, sum, sum)
			c.VEXTRACTI128(operand.Imm(1), v, upper)
			c.VPACKSSDW(upper, v.AsX(), upper)
			c.VPACKSSWB(upper, upper, upper)
			c.VMOVD(upper, operand.Mem{Base: to})
			c.VPEXTRD(operand.Imm(1), upper, operand.Mem{Base: to, Disp: 64})
			c.ADDQ(operand.U32(128), to)
		})
		total := reduced(c, sum, c.VPADDD)
		c.VCVTDQ2PS(total, total)
		c.VMOVSS(total, operand.Mem{Base: sums})
		step(c, scales, 4)
		step(c, sums, 4)
		step(c, dst, 4)
	})
	end(c)
}
