package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeActivationsAVX512 writes the activations of activation_avx2.go, with the same operations,
// and so the same bits.
func writeActivationsAVX512(c *build.Context) {
	writeSigmoid512(c, "silu512", func() func(z, e reg.VecVirtual) {
		sign := everywhere(c, float32(math.Copysign(0, -1)))
		return func(z, e reg.VecVirtual) { c.VPXORD(sign, z, e) }
	})
	writeSigmoid512(c, "quickGELU512", func() func(z, e reg.VecVirtual) {
		slope := everywhere(c, -quickGELUSlope)
		return func(z, e reg.VecVirtual) { c.VMULPS(slope, z, e) }
	})
	writeSigmoid512(c, "geluTanh512", func() func(z, e reg.VecVirtual) {
		linear, cubic := everywhere(c, -geluTanhLinear), everywhere(c, -geluTanhCubic)
		return func(z, e reg.VecVirtual) {
			c.VMULPS(z, z, e)
			c.VFMADD213PS(linear, cubic, e)
			c.VMULPS(z, e, e)
		}
	})
	writeGELU512(c)
	writeReLU512(c)
}

// activation512 writes a routine that replaces each vector z. prepare loads the constants of its
// function.
func activation512(c *build.Context, name string, prepare func() (apply func(z reg.VecVirtual))) {
	begin(c, name, "func(x *float32, n int)", name+" is "+name[:len(name)-3]+" for n scalars.")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64()).(reg.GPVirtual)
	apply := prepare()
	vectorsInterleaved(c, x, n, 2, func(at operand.Mem, mask reg.Register) {
		z := c.ZMM()
		load(c, at, mask, z)
		apply(z)
		save(c, z, mask, at)
	})
	end(c)
}

// writeSigmoid512 writes an activation z / (1 + exp(e)). prepare returns what computes e of z.
func writeSigmoid512(c *build.Context, name string, prepare func() (exponent func(z, e reg.VecVirtual))) {
	activation512(c, name, func() func(z reg.VecVirtual) {
		one, floor := everywhere(c, 1), everywhere(c, floorOfInputs)
		exponent := prepare()
		raise := exponential512(c, true)
		return func(z reg.VecVirtual) {
			e := c.ZMM()
			c.VMAXPS(z, floor, z)
			exponent(z, e)
			raise(e)
			c.VADDPS(one, e, e)
			c.VDIVPS(e, z, z)
		}
	})
}

func writeGELU512(c *build.Context) {
	activation512(c, "gelu512", func() func(z reg.VecVirtual) {
		floor, nothing := everywhere(c, floorOfInputs), zero512(c)
		sign := everywhere(c, float32(math.Copysign(0, -1)))
		var terms []reg.VecVirtual
		for _, term := range geluTerms {
			terms = append(terms, everywhere(c, term))
		}
		return func(z reg.VecVirtual) {
			b, p := c.ZMM(), c.ZMM()
			c.VPORD(z, sign, b)
			c.VMAXPS(b, floor, b)
			last := len(terms) - 1
			c.VMOVAPS(terms[last], p)
			for i := last - 1; i >= 0; i-- {
				c.VFMADD213PS(terms[i], b, p)
			}
			for range 2 {
				c.VMULPS(p, p, p)
			}
			c.VDIVPS(p, b, b)
			c.VMAXPS(z, nothing, z)
			c.VADDPS(b, z, z)
		}
	})
}

func writeReLU512(c *build.Context) {
	activation512(c, "relu512", func() func(z reg.VecVirtual) {
		nothing := zero512(c)
		return func(z reg.VecVirtual) { c.VMAXPS(z, nothing, z) }
	})
}
