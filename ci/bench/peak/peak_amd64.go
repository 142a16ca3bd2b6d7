package peak

import "golang.org/x/sys/cpu"

const chains = 2 * 12 // instructions in a turn

//go:noescape
func fused256(turns int)

//go:noescape
func fused512(turns int)

// Operations runs a number of turns of the processor's widest multiply-add instruction, and returns
// the number of additions and multiplications, 0 if the processor has no such instruction.
func Operations(turns int) float64 {
	switch {
	case cpu.X86.HasAVX512F:
		fused512(turns)
		return float64(turns) * chains * 2 * 16
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		fused256(turns)
		return float64(turns) * chains * 2 * 8
	}
	return 0
}
