package kernel

// Paths returns the names of the paths of this machine, the best one first.
func Paths() []string {
	var names []string
	for _, p := range available() {
		names = append(names, p.path)
	}
	return names
}

// Path returns the name of the path in use.
func Path() string { return current().path }

// Force makes the whole process use a path, until the returned function is called.
func Force(name string) (restore func()) {
	before := chosen.Load()
	chosen.Store(choose(name, available()))
	return func() { chosen.Store(before) }
}

// Choose returns the path that a machine with some paths uses if the environment names one.
func Choose(name string, available ...string) string {
	var paths []*routines
	for _, a := range available {
		paths = append(paths, &routines{path: a})
	}
	return choose(name, paths).path
}

// BlockF32 is the innermost loop of a product, on the path in use. The rows of dst and x lie end to
// end.
func BlockF32(dst, x []float32, rows int, panels []float32, columns int, accumulate bool) {
	depth := len(panels) / (panelWidth * ((columns + panelWidth - 1) / panelWidth))
	current().blockF32(block[float32]{dst, columns, x, depth, rows, depth, panels, columns, accumulate})
}

// BlockBF16 is BlockF32 for panels of bf16.
func BlockBF16(dst, x []float32, rows int, panels []uint16, columns int, accumulate bool) {
	depth := len(panels) / (panelWidth * ((columns + panelWidth - 1) / panelWidth))
	current().blockBF16(block[uint16]{dst, columns, x, depth, rows, depth, panels, columns, accumulate})
}
