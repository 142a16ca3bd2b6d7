package kernel

// block is the product of some rows of x with one block of every panel: for every row i and column
// c < columns
//
//	dst[i·dstStride+c] = Σ x[i·xStride+p] · panel[p·panelWidth + c mod panelWidth],  p = 0 … depth−1
//	panel              = panels[⌊c/panelWidth⌋·depth·panelWidth:]
//
// or, with accumulate, dst plus that sum. depth is at most Depth.
type block[Weight any] struct {
	dst         []float32
	dstStride   int
	x           []float32
	xStride     int
	rows, depth int
	panels      []Weight
	columns     int
	accumulate  bool
}

// eachPanel multiplies with one panel after the other: one gets blocks with a single panel.
func (b block[Weight]) eachPanel(one func(block[Weight])) {
	panels, columns, dst := b.panels, b.columns, b.dst
	for first := 0; first < columns; first += panelWidth {
		b.dst, b.columns = dst[first:], min(panelWidth, columns-first)
		b.panels = panels[first*b.depth:][:panelWidth*b.depth]
		one(b)
	}
}
