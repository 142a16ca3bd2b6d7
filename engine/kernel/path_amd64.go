package kernel

import "golang.org/x/sys/cpu"

// available are the paths of this machine, the best one first. The flags include whether the operating system keeps
// the registers.
func available() []path {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		return []path{avx2, portable}
	}
	return []path{portable}
}
