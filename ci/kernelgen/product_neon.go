package main

import "fmt"

// 16 sums, four elements of each row, four registers of weights, and two more of bf16
const neonRows = 4

// writeProductNEON writes a routine for each kind of panel and each number of rows.
func writeProductNEON(n *neon) {
	for _, kind := range panelKinds {
		for rows := 1; rows <= neonRows; rows++ {
			n.panel(kind, rows)
		}
	}
}

func (n *neon) panel(kind panelKind, rows int) {
	name := fmt.Sprintf("neon%d%s", rows, kind.name)
	n.begin(name, "(depth int, x *float32, xStride int, panel *"+kind.scalar+", dst *float32, dstStride int, accumulate bool)",
		fmt.Sprintf("%s is panel%s for %d rows and all sixteen columns. Strides are in bytes.", name, kind.name, rows), 49)
	for i, argument := range []string{"depth", "x", "xStride", "panel", "dst", "dstStride"} {
		n.line("MOVD %s+%d(FP), R%d", argument, 8*i, i)
	}
	n.line("MOVBU accumulate+48(FP), R6")
	// the register with the address in a row
	row := func(r int) int { return []int{1, 8, 9, 10}[r] }
	for r := 1; r < rows; r++ {
		n.line("ADD R2, R%d, R%d", row(r-1), row(r))
	}
	sum := func(r, part int) int { return 16 + 4*r + part }
	for r := range rows {
		for part := range 4 {
			n.line("VEOR V%d.B16, V%d.B16, V%d.B16", sum(r, part), sum(r, part), sum(r, part))
		}
	}
	if kind.name == "BF16" {
		n.line("MOVW $0xffff0000, R7")
		n.line("VDUP R7, V10.S4")
	}
	multiply := func(element int) {
		if kind.name == "BF16" {
			n.line("VLD1.P 32(R3), [V8.S4, V9.S4]")
			n.line("VSHL $16, V8.S4, V4.S4")
			n.line("VSHL $16, V9.S4, V5.S4")
			n.line("VAND V10.B16, V8.B16, V6.B16")
			n.line("VAND V10.B16, V9.B16, V7.B16")
		} else {
			n.line("VLD1.P 64(R3), [V4.S4, V5.S4, V6.S4, V7.S4]")
		}
		for r := range rows {
			for part := range 4 {
				n.multiplyElement(sum(r, part), 4+part, r, element)
			}
		}
	}
	n.line("SUBS $4, R0, R0")
	n.line("BLT rest")
	n.label("lines")
	for r := range rows {
		n.line("VLD1.P 16(R%d), [V%d.S4]", row(r), r)
	}
	for element := range 4 {
		multiply(element)
	}
	n.line("SUBS $4, R0, R0")
	n.line("BGE lines")
	n.label("rest")
	n.line("ADDS $4, R0, R0")
	n.line("BEQ store")
	n.label("line")
	for r := range rows {
		n.line("FMOVS.P 4(R%d), F%d", row(r), r)
	}
	multiply(0)
	n.line("SUBS $1, R0, R0")
	n.line("BNE line")
	n.label("store")
	n.line("CBZ R6, write")
	n.line("MOVD R4, R7")
	for r := range rows {
		n.line("VLD1 (R7), [V4.S4, V5.S4, V6.S4, V7.S4]")
		for part := range 4 {
			n.add(sum(r, part), 4+part, sum(r, part))
		}
		n.line("ADD R5, R7, R7")
	}
	n.label("write")
	for r := range rows {
		n.line("VST1 [V%d.S4, V%d.S4, V%d.S4, V%d.S4], (R4)", sum(r, 0), sum(r, 1), sum(r, 2), sum(r, 3))
		n.line("ADD R5, R4, R4")
	}
	n.line("RET")
}
