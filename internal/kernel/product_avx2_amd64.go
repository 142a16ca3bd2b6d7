package kernel

// blockAVX2 takes whole panels several at a time where their depth is small, as that of keys is: a
// call for each would take a good part of the time of its products.
func blockAVX2[Weight weight](b block[Weight]) {
	if b.rows == 0 || b.depth == 0 {
		return
	}
	first := 0
	for first+panelWidth <= b.columns {
		count := min(groups(b.depth), (b.columns-first)/panelWidth)
		width := count * panelWidth
		panels, dst := b.panels[first*b.depth:][:width*b.depth], b.dst[first:]
		for row, before := 0, 0; row < b.rows; before++ {
			rows := tileOfRows(b.rows-row, tileRows)
			t := tile[Weight]{
				rows: rows, depth: b.depth, x: tileOf(b.x, row, rows, b.xStride, b.depth), xStride: b.xStride, panel: &panels[0],
				dst: tileOf(dst, row, rows, b.dstStride, width), dstStride: b.dstStride, accumulate: b.accumulate,
			}
			t.multiplyPanels(before, count)
			row += rows
		}
		first += width
	}
	if first < b.columns {
		b.dst, b.panels, b.columns = b.dst[first:], b.panels[first*b.depth:], b.columns-first
		b.eachPanel(panelTiled[Weight])
	}
}

// groups returns how many panels, or pairs of them, one call of assembly takes: those that have no
// more weights than one of [Depth] inputs, which stay in the nearest cache for all rows.
func groups(depth int) int { return max(1, Depth/depth) }

// multiplyPanels is one call of assembly with some whole panels.
func (t *tile[Weight]) multiplyPanels(before, panels int) {
	xStride, dstStride := t.xStride*scalar, t.dstStride*scalar
	switch panel := any(t.panel).(type) {
	case *float32:
		panelsF32(t.rows, t.depth, t.x, xStride, panel, t.dst, dstStride, t.accumulate, prefetchF32(before, t.depth), panels)
	case *uint16:
		panelsBF16(t.rows, t.depth, t.x, xStride, panel, t.dst, dstStride, t.accumulate, 2*panelWidth*t.depth, panels)
	}
}
