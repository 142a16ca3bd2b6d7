package main

import "math"

// writeExponentialNEON writes the exponentials of a softmax.
func writeExponentialNEON(n *neon) {
	n.exponentials()
}

// The constants of an exponential, and their registers.
const (
	neonLowest = 16 + iota
	neonHighest
	neonRounder
	neonLog2e
	neonLn2High
	neonLn2Low
	neonOne
	neonInfinity
	neonTerms
)

var neonPolynomial = []float32{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1}

func (n *neon) constants() {
	for i, v := range []float32{-87.3, 88.3, 12582912, 1.44269504, 0.693359375, -2.12194440e-4, 1, float32(math.Inf(1))} {
		n.everywhere(neonLowest+i, v)
	}
	for i, v := range neonPolynomial {
		n.everywhere(neonTerms+i, v)
	}
}

// exponential replaces V0 by its exponential, and uses V1 to V7.
func (n *neon) exponential() {
	n.greater(1, neonLowest, 0)
	n.greater(2, 0, neonHighest)
	n.move(3, neonRounder)
	n.multiplyAdd(3, 0, neonLog2e)
	n.subtract(4, 3, neonRounder)
	n.multiplySubtract(0, 4, neonLn2High)
	n.multiplySubtract(0, 4, neonLn2Low)
	p, next := 5, 6
	n.move(p, neonTerms)
	for i := 1; i < len(neonPolynomial); i++ {
		n.move(next, neonTerms+i)
		n.multiplyAdd(next, p, 0)
		p, next = next, p
	}
	n.multiply(7, 0, 0)
	n.move(next, 0)
	n.multiplyAdd(next, p, 7)
	n.add(next, next, neonOne)
	n.line("VSHL $23, V3.S4, V3.S4")
	n.addIntegers(3, 3, neonOne)
	n.multiply(0, next, 3)
	n.andNot(0, 0, 1)
	n.insertWhere(0, neonInfinity, 2)
}

func (n *neon) exponentials() {
	n.begin("exponentialsx4", "(x *float32, n int, largest, scale float32) float32",
		"exponentialsx4 replaces n scalars, a multiple of 4, by the exponentials of (x−largest)·scale, and returns their sum.", 28)
	n.line("MOVD x+0(FP), R0")
	n.line("MOVD n+8(FP), R1")
	n.line("FMOVS largest+16(FP), F12")
	n.line("FMOVS scale+20(FP), F13")
	n.line("VDUP V12.S[0], V12.S4")
	n.line("VDUP V13.S[0], V13.S4")
	n.line("VEOR V14.B16, V14.B16, V14.B16")
	n.constants()
	n.label("next")
	n.line("VLD1 (R0), [V0.S4]")
	n.subtract(0, 0, 12)
	n.multiply(0, 0, 13)
	n.exponential()
	n.line("VST1.P [V0.S4], 16(R0)")
	n.add(14, 0, 14)
	n.line("SUBS $4, R1, R1")
	n.line("BGT next")
	n.addPairs(14, 14, 14)
	n.addPairs(14, 14, 14)
	n.line("FMOVS F14, ret+24(FP)")
	n.line("RET")
}
