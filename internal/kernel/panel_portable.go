package kernel

// panelF32Portable takes four rows and two columns at a time, which fits the registers of a scalar
// unit; the remaining rows are taken one by one. Both add the same products in the same order.
func panelF32Portable(b block[float32]) {
	var sums [4 * panelWidth]float32
	row := 0
	for ; row+4 <= b.rows; row += 4 {
		from := b.x[row*b.xStride:]
		x1, x2, x3 := from[b.xStride:][:b.depth], from[2*b.xStride:][:b.depth], from[3*b.xStride:][:b.depth]
		fourRows(&sums, from[:b.depth], x1, x2, x3, b.panels)
		for r := range 4 {
			store(b.dst[(row+r)*b.dstStride:][:b.columns], sums[r*panelWidth:][:b.columns], b.accumulate)
		}
	}
	for ; row < b.rows; row++ {
		oneRow(&sums, b.x[row*b.xStride:][:b.depth], b.panels)
		store(b.dst[row*b.dstStride:][:b.columns], sums[:b.columns], b.accumulate)
	}
}

func store(dst, sums []float32, accumulate bool) {
	if !accumulate {
		copy(dst, sums)
		return
	}
	for c, sum := range sums {
		dst[c] += sum
	}
}

func fourRows(sums *[4 * panelWidth]float32, x0, x1, x2, x3, panel []float32) {
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	for c := 0; c < panelWidth; c += 2 {
		var s00, s01, s10, s11, s20, s21, s30, s31 float32
		weights := panel[c:]
		for p, a0 := range x0 {
			w := weights[p*panelWidth : p*panelWidth+2 : p*panelWidth+2]
			a1, a2, a3 := x1[p], x2[p], x3[p]
			s00 += a0 * w[0]
			s01 += a0 * w[1]
			s10 += a1 * w[0]
			s11 += a1 * w[1]
			s20 += a2 * w[0]
			s21 += a2 * w[1]
			s30 += a3 * w[0]
			s31 += a3 * w[1]
		}
		sums[c], sums[c+1] = s00, s01
		sums[panelWidth+c], sums[panelWidth+c+1] = s10, s11
		sums[2*panelWidth+c], sums[2*panelWidth+c+1] = s20, s21
		sums[3*panelWidth+c], sums[3*panelWidth+c+1] = s30, s31
	}
}

func oneRow(sums *[4 * panelWidth]float32, x, panel []float32) {
	for c := 0; c < panelWidth; c += 4 {
		var s0, s1, s2, s3 float32
		weights := panel[c:]
		for p, a := range x {
			w := weights[p*panelWidth : p*panelWidth+4 : p*panelWidth+4]
			s0 += a * w[0]
			s1 += a * w[1]
			s2 += a * w[2]
			s3 += a * w[3]
		}
		sums[c], sums[c+1], sums[c+2], sums[c+3] = s0, s1, s2, s3
	}
}

// panelBF16Portable widens the block once and continues as f32, unless there are too few rows to be
// worth it. Widening is exact, so both ways add the same products in the same order.
func panelBF16Portable(b block[uint16]) {
	if b.rows >= 4 {
		widePanel(b)
		return
	}
	var sums [4 * panelWidth]float32
	for row := range b.rows {
		oneRowBF16(&sums, b.x[row*b.xStride:][:b.depth], b.panels)
		store(b.dst[row*b.dstStride:][:b.columns], sums[:b.columns], b.accumulate)
	}
}

func widePanel(b block[uint16]) {
	var wide [Depth * panelWidth]float32
	for line := 0; line+panelWidth <= len(b.panels); line += panelWidth {
		from, to := (*[panelWidth]uint16)(b.panels[line:]), (*[panelWidth]float32)(wide[line:])
		for c := range panelWidth / 2 {
			to[c] = WidenBF16(from[2*c])
			to[c+panelWidth/2] = WidenBF16(from[2*c+1])
		}
	}
	panelF32Portable(block[float32]{b.dst, b.dstStride, b.x, b.xStride, b.rows, b.depth, wide[:len(b.panels)], b.columns, b.accumulate})
}

func oneRowBF16(sums *[4 * panelWidth]float32, x []float32, panel []uint16) {
	for at := 0; at < panelWidth; at += 4 {
		var s0, s1, s2, s3 float32
		weights := panel[at:]
		for p, a := range x {
			w := weights[p*panelWidth : p*panelWidth+4 : p*panelWidth+4]
			s0 += a * WidenBF16(w[0])
			s1 += a * WidenBF16(w[1])
			s2 += a * WidenBF16(w[2])
			s3 += a * WidenBF16(w[3])
		}
		c := at / 2
		sums[c], sums[c+panelWidth/2], sums[c+1], sums[c+1+panelWidth/2] = s0, s1, s2, s3
	}
}
