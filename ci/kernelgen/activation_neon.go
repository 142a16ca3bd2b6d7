package main

import "math"

// writeActivationsNEON writes the activations, with the operations of activation_avx2.go. A maximum
// of a NaN is a NaN.
func writeActivationsNEON(n *neon) {
	n.sigmoid("silux4", func() {}, func() { n.negate(0, 8) })
	n.sigmoid("quickGELUx4", func() { n.everywhere(10, -quickGELUSlope) }, func() { n.multiply(0, 8, 10) })
	n.sigmoid("geluTanhx4", func() {
		n.everywhere(10, -geluTanhLinear)
		n.everywhere(11, -geluTanhCubic)
	}, func() {
		n.multiply(1, 8, 8)
		n.move(0, 10)
		n.multiplyAdd(0, 1, 11)
		n.multiply(0, 0, 8)
	})
	n.gelu()
	n.relu()
}

// activation writes a routine whose body turns V8 into V0.
func (n *neon) activation(name string, prepare, body func()) {
	n.begin(name, "(x *float32, n int)", name+" is "+name[:len(name)-2]+" for n scalars, a multiple of 4.", 16)
	n.line("MOVD x+0(FP), R0")
	n.line("MOVD n+8(FP), R1")
	prepare()
	n.label("next")
	n.line("VLD1 (R0), [V8.S4]")
	body()
	n.line("VST1.P [V0.S4], 16(R0)")
	n.line("SUBS $4, R1, R1")
	n.line("BGT next")
	n.line("RET")
}

// sigmoid writes an activation z / (1 + exp(e)). exponent computes e in V0 of z in V8; prepare
// loads its constants into V10 and V11.
func (n *neon) sigmoid(name string, prepare, exponent func()) {
	const floor = 9
	n.activation(name, func() {
		n.constants()
		n.everywhere(floor, floorOfInputs)
		prepare()
	}, func() {
		n.maximum(8, 8, floor)
		exponent()
		n.exponential()
		n.add(0, 0, neonOne)
		n.divide(0, 8, 0)
	})
}

func (n *neon) gelu() {
	const floor, sign, nothing, terms = 9, 10, 11, 16
	n.activation("gelux4", func() {
		n.everywhere(floor, floorOfInputs)
		n.everywhere(sign, float32(math.Copysign(0, -1)))
		n.everywhere(nothing, 0)
		for i, term := range geluTerms {
			n.everywhere(terms+i, term)
		}
	}, func() {
		n.or(1, 8, sign)
		n.maximum(1, 1, floor)
		p, next := 5, 6
		last := len(geluTerms) - 1
		n.move(p, terms+last)
		for i := last - 1; i >= 0; i-- {
			n.move(next, terms+i)
			n.multiplyAdd(next, p, 1)
			p, next = next, p
		}
		for range 2 {
			n.multiply(p, p, p)
		}
		n.divide(1, 1, p)
		n.maximum(0, 8, nothing)
		n.add(0, 0, 1)
	})
}

func (n *neon) relu() {
	const nothing = 9
	n.activation("relux4", func() { n.everywhere(nothing, 0) }, func() { n.maximum(0, 8, nothing) })
}
