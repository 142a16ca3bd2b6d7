package kernel

// panelWidth is how many outputs are side by side in a panel. Two 8-lane or four 4-lane vectors
// hold one line of it.
const panelWidth = 16

// Depth is how many inputs a panel's block spans: 24 KiB of f32, which stays in the first-level
// cache during a block of rows. It affects the result: sums are taken within blocks first, and then
// over blocks.
const Depth = 384

// Packed is a matrix W of outputs rows and inputs columns, laid out for [Packed.Product]. The zero
// value is an empty matrix that [Packed.Rows] and [Packed.Columns] fill. One goroutine at a time
// may fill it; any number may multiply.
//
// The layout is a sequence of blocks of Depth inputs. A block holds, for each panel of sixteen
// outputs, one line per input with the sixteen outputs' weights side by side. Outputs that pad the
// last panel have weight zero.
type Packed struct {
	outputs, inputs int
	floats          []float32 // f32, or nil
	halves          []uint16  // bf16, each line in the order of lane, or nil
}

// lane returns the position of column c in a line of bf16. Columns c and c+8 share a 32-bit word,
// so that a vector unit widens eight of them with a shift and the other eight with a mask.
func lane(c int) int { return c%8*2 + c/8 }

// PackF32 packs a matrix of f32. row is called once for each output, in order, and fills dst with
// its inputs weights; dst is reused between calls.
func PackF32(outputs, inputs int, row func(output int, dst []float32)) *Packed {
	packed := &Packed{outputs: outputs, inputs: inputs, floats: onHugePages(make([]float32, panels(outputs)*panelWidth*inputs))}
	packed.fill(row)
	return packed
}

// PackBF16 is [PackF32] for a matrix in half the memory. Each weight is rounded to the nearest
// bf16, ties to even, so a weight that was a bf16 stays exact.
func PackBF16(outputs, inputs int, row func(output int, dst []float32)) *Packed {
	packed := &Packed{outputs: outputs, inputs: inputs, halves: onHugePages(make([]uint16, panels(outputs)*panelWidth*inputs))}
	packed.fill(row)
	return packed
}

// Outputs returns the number of rows of W, the width of a product's result.
func (p *Packed) Outputs() int { return p.outputs }

// Inputs returns the number of columns of W, the width of a product's operand.
func (p *Packed) Inputs() int { return p.inputs }

// Bytes returns the memory of the packed weights, in bytes.
func (p *Packed) Bytes() int { return cap(p.floats)*4 + cap(p.halves)*2 }

// Ignores reports whether the first inputs have no effect: their columns of W are zero.
func (p *Packed) Ignores(inputs int) bool {
	padded := panels(p.outputs) * panelWidth
	for start := 0; start < inputs; start += Depth {
		depth, count := min(Depth, p.inputs-start), min(Depth, inputs-start)
		for first := 0; first < p.outputs; first += panelWidth {
			block := start*padded + first*depth
			if p.halves != nil && !allZero(p.halves[block:][:count*panelWidth]) ||
				p.halves == nil && !allZero(p.floats[block:][:count*panelWidth]) {
				return false
			}
		}
	}
	return true
}

// allZero reports whether a line holds only zeroes; among halves, −0 does not count as zero.
func allZero[T float32 | uint16](line []T) bool {
	for _, v := range line {
		if v != 0 {
			return false
		}
	}
	return true
}

func panels(outputs int) int { return (outputs + panelWidth - 1) / panelWidth }

// fill packs sixteen rows at a time: they are read once, and written in lines.
func (p *Packed) fill(row func(output int, dst []float32)) {
	rows := make([]float32, panelWidth*p.inputs)
	for first := 0; first < p.outputs; first += panelWidth {
		count := min(panelWidth, p.outputs-first)
		for r := range count {
			row(first+r, rows[r*p.inputs:(r+1)*p.inputs])
		}
		clear(rows[count*p.inputs:])
		p.fillPanel(first, rows)
	}
}

// fillPanel transposes sixteen rows into the panel of output first, block by block.
func (p *Packed) fillPanel(first int, rows []float32) {
	padded := panels(p.outputs) * panelWidth
	for start := 0; start < p.inputs; start += Depth {
		depth := min(Depth, p.inputs-start)
		block := start*padded + first*depth
		for r := range panelWidth {
			source := rows[r*p.inputs+start:][:depth]
			if p.halves != nil {
				lines := p.halves[block:][:depth*panelWidth]
				for i, at := 0, lane(r); i < len(source); i, at = i+1, at+panelWidth {
					lines[at] = BF16(source[i])
				}
				continue
			}
			lines := p.floats[block:][:depth*panelWidth]
			for i, at := 0, r; i < len(source); i, at = i+1, at+panelWidth {
				lines[at] = source[i]
			}
		}
	}
}

// Rows repacks p, as f32, with the matrix whose output j has the weights w[j·stride :
// j·stride+inputs]. Memory is reused where it suffices.
func (p *Packed) Rows(w []float32, stride, outputs, inputs int) {
	p.reshape(outputs, inputs)
	with := current()
	p.eachBlock(func(lines []float32, first, start, depth int) {
		with.sixteenRows(lines, w[first*stride+start:], stride, min(panelWidth, outputs-first), depth)
	})
}

// Columns repacks p, as f32, with the transposed matrix: the weights of input i are w[i·stride :
// i·stride+outputs]. Memory is reused where it suffices.
func (p *Packed) Columns(w []float32, stride, outputs, inputs int) {
	p.reshape(outputs, inputs)
	with := current()
	p.eachBlock(func(lines []float32, first, start, depth int) {
		with.sixteenColumns(lines, w[start*stride+first:], stride, min(panelWidth, outputs-first), depth)
	})
}

// eachBlock calls fill for the lines of each panel's block: of sixteen outputs from first on, and
// depth inputs from start.
func (p *Packed) eachBlock(fill func(lines []float32, first, start, depth int)) {
	padded := panels(p.outputs) * panelWidth
	for start := 0; start < p.inputs; start += Depth {
		depth := min(Depth, p.inputs-start)
		for first := 0; first < p.outputs; first += panelWidth {
			fill(p.floats[start*padded+first*depth:][:depth*panelWidth], first, start, depth)
		}
	}
}

func (p *Packed) reshape(outputs, inputs int) {
	p.outputs, p.inputs, p.halves = outputs, inputs, nil
	size := panels(outputs) * panelWidth * inputs
	if cap(p.floats) < size {
		p.floats = make([]float32, size)
	}
	p.floats = p.floats[:size]
}
