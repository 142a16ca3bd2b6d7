package kernel

// blockRows is how many rows pass a block before the next panel: with blockDepth inputs they take 144 KiB, which stays
// in the second cache.
const blockRows = 192

// Product computes dst = x·Wᵀ for rows rows of x: dst[i·dstStride+j] = Σ W[j][p] · x[i·xStride+p]. Strides are in
// scalars, at least [Packed.Outputs] for dst and [Packed.Inputs] for x. dst must not overlap x. A matrix without
// inputs gives zeroes.
//
// Each element is summed in one order, whatever rows is and wherever its row stands.
func (p *Packed) Product(dst []float32, dstStride int, x []float32, xStride, rows int) {
	p.product(dst, dstStride, x, xStride, rows, false)
}

// ProductAdd is [Packed.Product] that adds to dst: dst += x·Wᵀ.
func (p *Packed) ProductAdd(dst []float32, dstStride int, x []float32, xStride, rows int) {
	p.product(dst, dstStride, x, xStride, rows, true)
}

func (p *Packed) product(dst []float32, dstStride int, x []float32, xStride, rows int, accumulate bool) {
	if p.inputs == 0 && !accumulate {
		for i := range rows {
			clear(dst[i*dstStride:][:p.outputs])
		}
	}
	padded := panels(p.outputs) * panelWidth
	for start := 0; start < p.inputs; start += blockDepth {
		depth := min(blockDepth, p.inputs-start)
		add := accumulate || start > 0
		for row := 0; row < rows; row += blockRows {
			count := min(blockRows, rows-row)
			from, to := x[row*xStride+start:], dst[row*dstStride:]
			if p.halves != nil {
				blockBF16(to, dstStride, from, xStride, count, depth, p.halves[start*padded:][:depth*padded], p.outputs, add)
			} else {
				blockF32(to, dstStride, from, xStride, count, depth, p.floats[start*padded:][:depth*padded], p.outputs, add)
			}
		}
	}
}
