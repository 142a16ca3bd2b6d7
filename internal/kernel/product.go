package kernel

// blockRows is how many rows pass a block before the next panel: with Depth inputs they take 384 KiB, which stays in the
// second cache, and weights that do not are read once for so many rows.
const blockRows = 256

// Product computes dst = x·Wᵀ for rows rows of x: dst[i·dstStride+j] = Σ W[j][p] · x[i·xStride+p]. Strides are in
// scalars, at least [Packed.Outputs] for dst and [Packed.Inputs] for x. dst must not overlap x. A matrix without
// inputs gives zeroes.
//
// Each element is summed in one order, whatever rows is and wherever its row stands.
func (p *Packed) Product(dst []float32, dstStride int, x []float32, xStride, rows int) {
	p.product(dst, dstStride, x, xStride, rows, p.all(), false)
}

// ProductAdd is [Packed.Product] that adds to dst: dst += x·Wᵀ.
func (p *Packed) ProductAdd(dst []float32, dstStride int, x []float32, xStride, rows int) {
	p.product(dst, dstStride, x, xStride, rows, p.all(), true)
}

// ProductOutputs is [Packed.Product] for the outputs from first to end alone: dst has end−first columns. first must be a multiple
// of [Depth].
func (p *Packed) ProductOutputs(dst []float32, dstStride int, x []float32, xStride, rows, first, end int) {
	p.product(dst, dstStride, x, xStride, rows, part{first, end, 0, p.inputs}, false)
}

// ProductAddInputs is [Packed.ProductAdd] for the inputs from first to end alone: x has end−first columns. first must be a multiple
// of [Depth]. Parts that follow each other add to the bits of the whole.
func (p *Packed) ProductAddInputs(dst []float32, dstStride int, x []float32, xStride, rows, first, end int) {
	p.product(dst, dstStride, x, xStride, rows, part{0, p.outputs, first, end}, true)
}

// part is a rectangle of a matrix.
type part struct{ firstOutput, endOutput, firstInput, endInput int }

func (p *Packed) all() part { return part{0, p.outputs, 0, p.inputs} }

func (p *Packed) product(dst []float32, dstStride int, x []float32, xStride, rows int, of part, accumulate bool) {
	outputs := of.endOutput - of.firstOutput
	if of.firstInput == of.endInput && !accumulate {
		for i := range rows {
			clear(dst[i*dstStride:][:outputs])
		}
	}
	padded := panels(p.outputs) * panelWidth
	for start := of.firstInput; start < of.endInput; start += Depth {
		depth := min(Depth, of.endInput-start)
		begin, end := start*padded+of.firstOutput*depth, start*padded+panels(of.endOutput)*panelWidth*depth
		add := accumulate || start > of.firstInput
		for row := 0; row < rows; row += blockRows {
			count := min(blockRows, rows-row)
			from, to := x[row*xStride+start-of.firstInput:], dst[row*dstStride:]
			if p.halves != nil {
				blockBF16(to, dstStride, from, xStride, count, depth, p.halves[begin:end], outputs, add)
			} else {
				blockF32(to, dstStride, from, xStride, count, depth, p.floats[begin:end], outputs, add)
			}
		}
	}
}
