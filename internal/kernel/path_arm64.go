package kernel

// available are the paths of this machine, the best one first.
func available() []path { return []path{neon, portable} }
