package kernel

// blockRows is how many rows are multiplied with a block before the next panel: with Depth inputs
// they take 384 KiB, which stays in the second-level cache, and weights that do not are read once
// for that many rows.
const blockRows = 256

// Product computes dst = x·Wᵀ for rows rows of x: dst[i·dstStride+j] = Σ W[j][p] · x[i·xStride+p].
// Strides are in scalars, at least [Packed.Outputs] for dst and [Packed.Inputs] for x. dst must not
// overlap x. A matrix without inputs gives zeroes.
//
// Each element is summed in one order, for every number of rows and position of its row.
func (p *Packed) Product(dst []float32, dstStride int, x []float32, xStride, rows int) {
	p.product(dst, dstStride, x, xStride, rows, p.all(false))
}

// ProductAdd is [Packed.Product] that adds to dst: dst += x·Wᵀ.
func (p *Packed) ProductAdd(dst []float32, dstStride int, x []float32, xStride, rows int) {
	p.product(dst, dstStride, x, xStride, rows, p.all(true))
}

// ProductOutputs is [Packed.Product] for some outputs only, of which the first must be a multiple
// of [Depth]: dst has as many columns.
func (p *Packed) ProductOutputs(dst []float32, dstStride int, x []float32, xStride, rows int, outputs Span) {
	p.product(dst, dstStride, x, xStride, rows, part{outputs, Span{0, p.inputs}, false})
}

// ProductAddOutputs is [Packed.ProductOutputs] that adds to dst.
func (p *Packed) ProductAddOutputs(dst []float32, dstStride int, x []float32, xStride, rows int, outputs Span) {
	p.product(dst, dstStride, x, xStride, rows, part{outputs, Span{0, p.inputs}, true})
}

// ProductAddInputs is [Packed.ProductAdd] for some inputs only, of which the first must be a
// multiple of [Depth]: x has as many columns. Consecutive parts add up to the same bits as the
// whole product.
func (p *Packed) ProductAddInputs(dst []float32, dstStride int, x []float32, xStride, rows int, inputs Span) {
	p.product(dst, dstStride, x, xStride, rows, part{Span{0, p.outputs}, inputs, true})
}

// Span is the range of a matrix's outputs or inputs from First to before End.
type Span struct{ First, End int }

// part is a rectangle of a matrix, and whether its product is added to dst.
type part struct {
	outputs, inputs Span
	accumulate      bool
}

func (p *Packed) all(accumulate bool) part {
	return part{Span{0, p.outputs}, Span{0, p.inputs}, accumulate}
}

func (p *Packed) product(dst []float32, dstStride int, x []float32, xStride, rows int, of part) {
	outputs := of.outputs.End - of.outputs.First
	if of.inputs.First == of.inputs.End && !of.accumulate {
		for i := range rows {
			clear(dst[i*dstStride:][:outputs])
		}
	}
	with := current()
	padded := panels(p.outputs) * panelWidth
	for start := of.inputs.First; start < of.inputs.End; start += Depth {
		depth := min(Depth, of.inputs.End-start)
		begin, end := start*padded+of.outputs.First*depth, start*padded+panels(of.outputs.End)*panelWidth*depth
		add := of.accumulate || start > of.inputs.First
		for row := 0; row < rows; row += blockRows {
			count := min(blockRows, rows-row)
			from, to := x[row*xStride+start-of.inputs.First:], dst[row*dstStride:]
			if p.halves != nil {
				with.blockBF16(block[uint16]{to, dstStride, from, xStride, count, depth, p.halves[begin:end], outputs, add})
			} else {
				with.blockF32(block[float32]{to, dstStride, from, xStride, count, depth, p.floats[begin:end], outputs, add})
			}
		}
	}
}
