package peak

import (
	"os"

	"golang.org/x/sys/cpu"
)

const chains = 2 * 12 // instructions in a turn

//go:noescape
func fused256(turns int)

//go:noescape
func fused512(turns int)

// narrow is whether the engine is held to AVX2.
var narrow = os.Getenv("UFORM_KERNEL") == "avx2"

// Operations runs a number of turns of the widest multiply-add instruction that the engine may use,
// and returns the number of additions and multiplications, 0 if the processor has no such
// instruction.
func Operations(turns int) float64 {
	switch {
	case cpu.X86.HasAVX512F && !narrow:
		fused512(turns)
		return float64(turns) * chains * 2 * 16
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		fused256(turns)
		return float64(turns) * chains * 2 * 8
	}
	return 0
}
