package kernel

import "golang.org/x/sys/cpu"

// available are the paths of this machine, the best one first. The flags include whether the operating system keeps
// the registers.
func available() []path {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return []path{portable}
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512VL || !x.HasAVX512DQ:
		return []path{avx2, portable}
	}
	return []path{avx512, avx2, portable}
}
