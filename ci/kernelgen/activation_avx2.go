package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeActivationsAVX2 writes the activations. A maximum is its second source, which is the first
// operand here, if one source is a NaN.
func writeActivationsAVX2(c *build.Context) {
	writeSigmoid(c, "silux8", func(z, e reg.VecVirtual) {
		c.VXORPS(constant(c, "sign", float32(math.Copysign(0, -1))), z, e)
	})
	writeSigmoid(c, "quickGELUx8", func(z, e reg.VecVirtual) {
		c.VMULPS(constant(c, "slope", -quickGELUSlope), z, e)
	})
	writeSigmoid(c, "geluTanhx8", func(z, e reg.VecVirtual) {
		square := c.YMM()
		c.VMULPS(z, z, square)
		c.VMOVUPS(constant(c, "cubic", -geluTanhCubic), e)
		c.VFMADD213PS(constant(c, "linear", -geluTanhLinear), square, e)
		c.VMULPS(z, e, e)
	})
	writeGELU(c)
	writeReLU(c)
}

// activation8 writes a routine that replaces each vector at x. prepare loads constants for all.
func activation8(c *build.Context, name string, prepare func() (replace func(x operand.Mem))) {
	begin(c, name, "func(x *float32, n int)", name+" is "+name[:len(name)-2]+" for n scalars, a multiple of 8.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	replace := prepare()
	eachInterleaved(c, x, n, 2, replace)
	end(c)
}

func loadFloor(c *build.Context) reg.VecVirtual {
	floor := c.YMM()
	c.VMOVUPS(constant(c, "floor", floorOfInputs), floor)
	return floor
}

// writeSigmoid writes an activation z / (1 + exp(e)). exponent computes e of z.
func writeSigmoid(c *build.Context, name string, exponent func(z, e reg.VecVirtual)) {
	activation8(c, name, func() func(x operand.Mem) {
		floor := loadFloor(c)
		return func(x operand.Mem) {
			z, e := c.YMM(), c.YMM()
			c.VMAXPS(x, floor, z)
			exponent(z, e)
			exponential(c, e, true)
			c.VADDPS(constant(c, "one", 1), e, e)
			c.VDIVPS(e, z, z)
			c.VMOVUPS(z, x)
		}
	})
}

// writeGELU writes the formula of gelu.py.
func writeGELU(c *build.Context) {
	term := func(i int) operand.Mem { return constant(c, fmt.Sprintf("geluTerm%d", i), geluTerms[i]) }
	activation8(c, "gelux8", func() func(x operand.Mem) {
		floor, nothing := loadFloor(c), zero(c)
		return func(x operand.Mem) {
			b, p, z := c.YMM(), c.YMM(), c.YMM()
			c.VMOVUPS(constant(c, "sign", float32(math.Copysign(0, -1))), b)
			c.VORPS(x, b, b)
			c.VMAXPS(b, floor, b)
			last := len(geluTerms) - 1
			c.VMOVUPS(term(last), p)
			for i := last - 1; i >= 0; i-- {
				c.VFMADD213PS(term(i), b, p)
			}
			for range 2 {
				c.VMULPS(p, p, p)
			}
			c.VDIVPS(p, b, b)
			c.VMAXPS(x, nothing, z)
			c.VADDPS(b, z, z)
			c.VMOVUPS(z, x)
		}
	})
}

func writeReLU(c *build.Context) {
	activation8(c, "relux8", func() func(x operand.Mem) {
		nothing := zero(c)
		return func(x operand.Mem) {
			z := c.YMM()
			c.VMAXPS(x, nothing, z)
			c.VMOVUPS(z, x)
		}
	})
}
