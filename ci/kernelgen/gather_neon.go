package main

import "fmt"

// writeGatherNEON writes the sums of bags of n-grams, with the bits of the portable loops.
func writeGatherNEON(n *neon) {
	for _, columns := range []int{gatherWide, gatherNarrow} {
		n.gather(columns)
	}
	n.signs()
	n.accumulate()
}

// gather keeps the sums in V8 and the registers above, four columns in each. A nibble whose highest
// bit is flipped is the signed number nibble−8.
func (n *neon) gather(columns int) {
	name := gatherNames[columns]
	n.begin(name, "(dst *float32, stride int, headBytes *byte, headScales *float32, heads *byte, bytes *byte, rowBytes int, scales *float32, rows *uint32, first int, last int, ends *int, count int)",
		gatherDoc(name), 104)
	for i, argument := range []string{"dst", "stride", "headBytes", "headScales", "heads", "bytes", "rowBytes", "scales", "rows", "first", "last", "ends", "count"} {
		n.line("MOVD %s+%d(FP), R%d", argument, 8*i, i)
	}
	const (
		dst, stride, headBytes, headScales, heads, bytes, rowBytes = 0, 1, 2, 3, 4, 5, 6
		scales, rows, at, last, ends, count                        = 7, 8, 9, 10, 11, 12
		row, scale, end, ahead                                     = 13, 14, 15, 16
		sums                                                       = 8
	)
	n.line("MOVD $0x88, R%d", row)
	n.line("VDUP R%d, V6.B16", row)
	n.label("position")
	n.line("MOVD R%d, R%d", dst, end)
	n.line("CBZ R%d, load", heads)
	for i := range columns / 4 {
		n.line("VEOR V%d.B16, V%d.B16, V%d.B16", sums+i, sums+i, sums+i)
	}
	n.line("MOVBU.P 1(R%d), R%d", heads, row)
	n.line("ADD R%d<<2, R%d, R%d", row, headScales, scale)
	n.line("MADD R%d, R%d, R%d, R%d", row, headBytes, rowBytes, row)
	n.addInt4(columns, row, scale, sums)
	n.line("JMP begun")
	n.label("load")
	for i := 0; i < columns/4; i += 4 {
		n.line("VLD1.P 64(R%d), [V%d.S4, V%d.S4, V%d.S4, V%d.S4]", end, sums+i, sums+i+1, sums+i+2, sums+i+3)
	}
	n.label("begun")
	n.line("MOVD.P 8(R%d), R%d", ends, end)
	n.line("JMP more")
	n.label("row")
	n.line("ADD $%d, R%d, R%d", gatherAhead, at, ahead)
	n.line("CMP R%d, R%d", last, ahead)
	n.line("CSEL GT, R%d, R%d, R%d", last, ahead, ahead)
	n.line("MOVWU (R%d)(R%d<<2), R%d", rows, ahead, ahead)
	n.line("MADD R%d, R%d, R%d, R%d", ahead, bytes, rowBytes, ahead)
	n.line("PRFM (R%d), PLDL1KEEP", ahead)
	n.line("PRFM %d(R%d), PLDL1KEEP", columns/2/8*8, ahead)
	n.line("MOVWU (R%d)(R%d<<2), R%d", rows, at, row)
	n.line("ADD R%d<<2, R%d, R%d", row, scales, scale)
	n.line("MADD R%d, R%d, R%d, R%d", row, bytes, rowBytes, row)
	n.addInt4(columns, row, scale, sums)
	n.line("ADD $1, R%d, R%d", at, at)
	n.label("more")
	n.line("CMP R%d, R%d", end, at)
	n.line("BLT row")
	n.line("MOVD R%d, R%d", dst, end)
	for i := 0; i < columns/4; i += 4 {
		n.line("VST1.P [V%d.S4, V%d.S4, V%d.S4, V%d.S4], 64(R%d)", sums+i, sums+i+1, sums+i+2, sums+i+3, end)
	}
	n.line("ADD R%d, R%d, R%d", stride, dst, dst)
	n.line("SUBS $1, R%d, R%d", count, count)
	n.line("BGT position")
	n.line("RET")
}

// addInt4 adds the row at a register, times the scale at another, to the sums. It uses V0 to V5 and
// V7, and moves row.
func (n *neon) addInt4(columns, row, scale, sums int) {
	n.line("FMOVS (R%d), F7", scale)
	n.line("VDUP V7.S[0], V7.S4")
	for i := 0; i < columns/4; i += 8 {
		n.line("VLD1.P 16(R%d), [V0.B16]", row)
		n.line("VEOR V6.B16, V0.B16, V0.B16")
		n.word("SSHR#4", 0x4F0C0400, 1, 0, 0)
		n.line("VSHL $4, V0.B16, V0.B16")
		n.word("SSHR#4", 0x4F0C0400, 0, 0, 0)
		n.line("VZIP2 V1.B16, V0.B16, V2.B16")
		n.line("VZIP1 V1.B16, V0.B16, V0.B16")
		for half, sixteen := range []int{0, 2} {
			n.word("SXTL2", 0x4F08A400, 4, sixteen, 0)
			n.word("SXTL", 0x0F08A400, 3, sixteen, 0)
			for quarter, eight := range []int{3, 4} {
				for part, code := range []int{0x0F10A400, 0x4F10A400} {
					n.word([]string{"SXTL", "SXTL2"}[part], code, 5, eight, 0)
					n.word("SCVTF", 0x4E21D800, 5, 5, 0)
					n.multiply(5, 5, 7)
					sum := sums + i + 4*half + 2*quarter + part
					n.add(sum, sum, 5)
				}
			}
		}
	}
}

// signs keeps 64 sums in V16 and the registers above, and the shifts that move each bit of a word
// into the sign of its lane in V8 and above.
func (n *neon) signs() {
	n.begin("addSignsx64", "(dst *float32, hashes *uint64, offset uint64, w *float32, count int)", signsDoc("addSignsx64"), 40)
	for i, argument := range []string{"dst", "hashes", "offset", "w", "count"} {
		n.line("MOVD %s+%d(FP), R%d", argument, 8*i, i)
	}
	n.line("MOVD $%#x, R5", uint64(signsFirst))
	n.line("MOVD $%#x, R6", uint64(signsSecond))
	n.line("MOVD $%#x, R8", 30<<32|31)
	n.line("VMOV R8, V8.D[0]")
	n.line("MOVD $%#x, R8", 28<<32|29)
	n.line("VMOV R8, V8.D[1]")
	n.line("MOVD $4, R8")
	n.line("VDUP R8, V4.S4")
	for i := range 7 {
		n.line("VSUB V4.S4, V%d.S4, V%d.S4", 8+i, 9+i)
	}
	n.line("MOVD $0x80000000, R8")
	n.line("VDUP R8, V2.S4")
	n.line("MOVD R0, R9")
	for i := 16; i < 32; i += 4 {
		n.line("VLD1.P 64(R9), [V%d.S4, V%d.S4, V%d.S4, V%d.S4]", i, i+1, i+2, i+3)
	}
	n.label("hash")
	n.line("MOVD.P 8(R1), R8")
	n.line("ADD R2, R8, R8")
	n.line("EOR R8>>30, R8, R8")
	n.line("MUL R5, R8, R8")
	n.line("EOR R8>>27, R8, R8")
	n.line("MUL R6, R8, R8")
	n.line("EOR R8>>31, R8, R8")
	n.line("FMOVS.P 4(R3), F1")
	n.line("VDUP V1.S[0], V1.S4")
	n.line("VEOR V2.B16, V1.B16, V1.B16")
	for i := range 16 {
		if i%8 == 0 {
			n.line("VDUP R8, V0.S4")
			n.line("LSR $32, R8, R8")
		}
		n.word("USHL", 0x6EA04400, 3, 0, 8+i%8)
		n.line("VAND V2.B16, V3.B16, V3.B16")
		n.line("VEOR V1.B16, V3.B16, V3.B16")
		n.add(16+i, 16+i, 3)
	}
	n.line("SUBS $1, R4, R4")
	n.line("BGT hash")
	for i := 16; i < 32; i += 4 {
		n.line("VST1.P [V%d.S4, V%d.S4, V%d.S4, V%d.S4], 64(R0)", i, i+1, i+2, i+3)
	}
	n.line("RET")
}

// accumulate widens sixteen scalars at a time, of one row after the other.
func (n *neon) accumulate() {
	n.begin("accumulatex16", "(sum *float64, rows *float32, stride int, count int, n int)", accumulateDoc, 40)
	for i, argument := range []string{"sum", "rows", "stride", "count", "n"} {
		n.line("MOVD %s+%d(FP), R%d", argument, 8*i, i)
	}
	list := func(first int, lanes string) string {
		return fmt.Sprintf("[V%d.%s, V%d.%s, V%d.%s, V%d.%s]", first, lanes, first+1, lanes, first+2, lanes, first+3, lanes)
	}
	n.label("next")
	n.line("MOVD R0, R5")
	n.line("VLD1.P 64(R5), %s", list(16, "D2"))
	n.line("VLD1 (R5), %s", list(20, "D2"))
	n.line("MOVD R1, R6")
	n.line("MOVD R3, R7")
	n.label("row")
	n.line("VLD1 (R6), %s", list(0, "S4"))
	n.line("ADD R2, R6, R6")
	for i := range 4 {
		n.word("FCVTL", 0x0E617800, 4, i, 0)
		n.word("FCVTL2", 0x4E617800, 5, i, 0)
		n.word("FADD.2D", 0x4E60D400, 16+2*i, 16+2*i, 4)
		n.word("FADD.2D", 0x4E60D400, 17+2*i, 17+2*i, 5)
	}
	n.line("SUBS $1, R7, R7")
	n.line("BGT row")
	n.line("VST1.P %s, 64(R0)", list(16, "D2"))
	n.line("VST1.P %s, 64(R0)", list(20, "D2"))
	n.line("ADD $64, R1, R1")
	n.line("SUBS $16, R4, R4")
	n.line("BGT next")
	n.line("RET")
}
