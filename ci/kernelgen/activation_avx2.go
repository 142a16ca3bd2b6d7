package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeActivationsAVX2 writes the activations. Minima and maxima return their second source, which
// is the first operand here, if one source is a NaN.
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

func activation8(c *build.Context, name string, body func(x operand.Mem)) {
	begin(c, name, "func(x *float32, n int)", name+" is "+name[:len(name)-2]+" for n scalars, a multiple of 8.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	each(c, n, 8, func() {
		body(operand.Mem{Base: x})
		step(c, x, 32)
	})
	end(c)
}

// writeSigmoid writes an activation z / (1 + exp(e)). exponent computes e of z.
func writeSigmoid(c *build.Context, name string, exponent func(z, e reg.VecVirtual)) {
	activation8(c, name, func(x operand.Mem) {
		z, e := c.YMM(), c.YMM()
		c.VMOVUPS(constant(c, "floor", floorOfInputs), z)
		c.VMAXPS(x, z, z)
		exponent(z, e)
		exponential(c, e)
		c.VADDPS(constant(c, "one", 1), e, e)
		c.VDIVPS(e, z, z)
		c.VMOVUPS(z, x)
	})
}

func writeGELU(c *build.Context) {
	activation8(c, "gelux8", func(x operand.Mem) {
		z, a, p := c.YMM(), c.YMM(), c.YMM()
		c.VMOVUPS(constant(c, "floor", floorOfInputs), z)
		c.VMAXPS(x, z, z)
		c.VMOVUPS(constant(c, "sign", float32(math.Copysign(0, -1))), a)
		c.VANDNPS(z, a, a)
		c.VMOVUPS(constant(c, "ceiling", -floorOfInputs), p)
		c.VMINPS(a, p, a)
		last := len(geluTerms) - 1
		c.VMOVUPS(constant(c, "geluTerm", geluTerms[last]), p)
		for i := last - 1; i >= 0; i-- {
			c.VFMADD213PS(constant(c, fmt.Sprintf("geluTerm%d", i), geluTerms[i]), a, p)
		}
		for range 2 {
			c.VMULPS(p, p, p)
		}
		c.VDIVPS(p, a, a)
		c.VXORPS(p, p, p)
		c.VMAXPS(z, p, z)
		c.VSUBPS(a, z, z)
		c.VMOVUPS(z, x)
	})
}

func writeReLU(c *build.Context) {
	activation8(c, "relux8", func(x operand.Mem) {
		z := zero(c)
		c.VMAXPS(x, z, z)
		c.VMOVUPS(z, x)
	})
}
