package main

// writeDotsNEON writes the products of a query with rows: four rows at a time, so that the query is
// read once for all of them, and two sums for each, which hide the latency of one.
func writeDotsNEON(n *neon) {
	for _, kind := range dotsKinds {
		n.dots(kind.name, kind.width)
	}
}

func (n *neon) dots(kind string, width int) {
	name := "dots" + kind + "x16"
	n.begin(name, "(dst *float32, rows *byte, query *float32, n int, stride int, count int)",
		name+" is dots"+kind+" for count rows, a multiple of 4, that are stride bytes apart, and n columns, a multiple of 16.", 48)
	for i, argument := range []string{"dst", "rows", "query", "n", "stride", "count"} {
		n.line("MOVD %s+%d(FP), R%d", argument, 8*i, i)
	}
	row := func(r int) int { return 8 + r }
	sum := func(r, half int) int { return 16 + 2*r + half }
	n.label("rows")
	n.line("MOVD R1, R%d", row(0))
	for r := 1; r < dotsRows; r++ {
		n.line("ADD R4, R%d, R%d", row(r-1), row(r))
	}
	n.line("ADD R4, R%d, R1", row(dotsRows-1))
	n.line("MOVD R2, R6")
	n.line("MOVD R3, R7")
	for r := range dotsRows {
		for half := range 2 {
			n.line("VEOR V%[1]d.B16, V%[1]d.B16, V%[1]d.B16", sum(r, half))
		}
	}
	n.label("columns")
	n.line("VLD1.P 64(R6), [V0.S4, V1.S4, V2.S4, V3.S4]")
	for r := range dotsRows {
		n.sixteen(width, row(r))
		for part := range 4 {
			n.multiplyAdd(sum(r, part%2), part, 4+part)
		}
	}
	n.line("SUBS $16, R7, R7")
	n.line("BGT columns")
	for r := range dotsRows {
		n.add(sum(r, 0), sum(r, 0), sum(r, 1))
	}
	n.addPairs(sum(0, 0), sum(0, 0), sum(1, 0))
	n.addPairs(sum(2, 0), sum(2, 0), sum(3, 0))
	n.addPairs(sum(0, 0), sum(0, 0), sum(2, 0))
	n.line("VST1.P [V%d.S4], 16(R0)", sum(0, 0))
	n.line("SUBS $4, R5, R5")
	n.line("BGT rows")
	n.line("RET")
}

// sixteen reads the next sixteen scalars of a row, of width bytes each, into V4 to V7, as f32.
func (n *neon) sixteen(width, row int) {
	switch width {
	case 4:
		n.line("VLD1.P 64(R%d), [V4.S4, V5.S4, V6.S4, V7.S4]", row)
	case 2:
		n.line("VLD1.P 32(R%d), [V8.H8, V9.H8]", row)
		for part := range 4 {
			n.upper("FCVTL", 0x0E217800, part%2 == 1, 4+part, 8+part/2)
		}
	case 1:
		n.line("VLD1.P 16(R%d), [V10.B16]", row)
		for half := range 2 {
			n.upper("SXTL", 0x0F08A400, half == 1, 8+half, 10)
		}
		for part := range 4 {
			n.upper("SXTL", 0x0F10A400, part%2 == 1, 4+part, 8+part/2)
			n.word("SCVTF", 0x4E21D800, 4+part, 4+part, 0)
		}
	}
}

// upper widens the lower half of a register, or the upper one.
func (n *neon) upper(name string, code int, upper bool, d, from int) {
	if upper {
		name, code = name+"2", code|1<<30
	}
	n.word(name, code, d, from, 0)
}
