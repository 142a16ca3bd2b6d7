package main

import (
	"fmt"
	"math"
	"strings"
)

// Go's assembler has few of the vector instructions of arm64, and none that multiplies with one
// element of a register. So these routines are written here, with those instructions as encoded
// words; avo, which has no arm64, is not used. Sums are the chains of product_avx2.go, and
// exponentials those of exponential_avx2.go.

// neon is the assembly and the declarations being written.
type neon struct{ assembly, stubs strings.Builder }

func (n *neon) line(format string, arguments ...any) {
	fmt.Fprintf(&n.assembly, "\t"+format+"\n", arguments...)
}

func (n *neon) label(name string) { n.assembly.WriteString(name + ":\n") }

// word writes an instruction on whole registers of four f32: destination, first and second operand.
func (n *neon) word(name string, code, d, first, second int) {
	n.line("WORD $%#08x // %s V%d, V%d, V%d", code|second<<16|first<<5|d, name, d, first, second)
}

func (n *neon) add(d, a, b int)              { n.word("FADD", 0x4E20D400, d, a, b) }
func (n *neon) subtract(d, a, b int)         { n.word("FSUB", 0x4EA0D400, d, a, b) }
func (n *neon) multiply(d, a, b int)         { n.word("FMUL", 0x6E20DC00, d, a, b) }
func (n *neon) divide(d, a, b int)           { n.word("FDIV", 0x6E20FC00, d, a, b) }
func (n *neon) multiplyAdd(d, a, b int)      { n.word("FMLA", 0x4E20CC00, d, a, b) }
func (n *neon) multiplySubtract(d, a, b int) { n.word("FMLS", 0x4EA0CC00, d, a, b) }
func (n *neon) maximum(d, a, b int)          { n.word("FMAX", 0x4E20F400, d, a, b) }
func (n *neon) greater(d, a, b int)          { n.word("FCMGT", 0x6EA0E400, d, a, b) }
func (n *neon) addIntegers(d, a, b int)      { n.word("ADD", 0x4EA08400, d, a, b) }
func (n *neon) andNot(d, a, b int)           { n.word("BIC", 0x4E601C00, d, a, b) }
func (n *neon) insertWhere(d, a, mask int)   { n.word("BIT", 0x6EA01C00, d, a, mask) }
func (n *neon) or(d, a, b int)               { n.word("ORR", 0x4EA01C00, d, a, b) }
func (n *neon) move(d, a int)                { n.word("MOV", 0x4EA01C00, d, a, a) }
func (n *neon) negate(d, a int)              { n.word("FNEG", 0x6EA0F800, d, a, 0) }
func (n *neon) addPairs(d, a, b int)         { n.word("FADDP", 0x6E20D400, d, a, b) }

// multiplyElement adds to d the product of a and one element of b.
func (n *neon) multiplyElement(d, a, b, element int) {
	code := 0x4F801000 | element>>1<<11 | element&1<<21 | b<<16 | a<<5 | d
	n.line("WORD $%#08x // FMLA V%d, V%d, V%d[%d]", code, d, a, b, element)
}

func (n *neon) begin(name, signature, doc string, arguments int) {
	fmt.Fprintf(&n.stubs, "\n// %s\n//\n//go:noescape\nfunc %s%s\n",
		strings.Join(commentLines(doc), "\n// "), name, signature)
	fmt.Fprintf(&n.assembly, "\n// func %s%s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", name, signature, name, arguments)
}

// everywhere fills a register with v.
func (n *neon) everywhere(register int, v float32) {
	n.line("MOVW $%#x, R7", math.Float32bits(v))
	n.line("VDUP R7, V%d.S4", register)
}

// text returns the assembly and the declarations that write produces.
func text(write func(*neon)) (assembly, stubs string) {
	n := new(neon)
	write(n)
	return generated + "#include \"textflag.h\"\n" + n.assembly.String(), generated + "package kernel\n" + n.stubs.String()
}
