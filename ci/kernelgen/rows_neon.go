package main

// writeRowsNEON writes the widening of f16, for which the portable loop needs many instructions.
func writeRowsNEON(n *neon) {
	n.begin("floatsFromF16x8", "(dst *float32, src *uint16, n int)", "floatsFromF16x8 is floatsFromF16 for n scalars, a multiple of 8.", 24)
	n.line("MOVD dst+0(FP), R0")
	n.line("MOVD src+8(FP), R1")
	n.line("MOVD n+16(FP), R2")
	n.label("next")
	n.line("VLD1.P 16(R1), [V0.H8]")
	n.word("FCVTL", 0x0E217800, 1, 0, 0)
	n.word("FCVTL2", 0x4E217800, 2, 0, 0)
	n.line("VST1.P [V1.S4, V2.S4], 32(R0)")
	n.line("SUBS $8, R2, R2")
	n.line("BGT next")
	n.line("RET")
}
