package kernel

// Paths are the names of the paths of this machine, the best one first.
func Paths() []string {
	var names []string
	for _, p := range available() {
		names = append(names, p.String())
	}
	return names
}

// Path is the name of the path in use.
func Path() string { return current().String() }

// Force makes all of the process take a path, until the function that it returns is called.
func Force(name string) (restore func()) {
	before := chosen.Load()
	chosen.Store(int32(choose(name, available())))
	return func() { chosen.Store(before) }
}

// Choose is the path that a machine with some paths takes when the environment names one.
func Choose(name string, available ...string) string {
	var paths []path
	for _, a := range available {
		paths = append(paths, map[string]path{"portable": portable, "neon": neon, "avx2": avx2, "avx512": avx512}[a])
	}
	return choose(name, paths).String()
}

// The innermost loops of a product, on the path in use.
var (
	BlockF32  = blockF32
	BlockBF16 = blockBF16
)
