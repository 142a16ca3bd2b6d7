package kernel

// pairRows is the most rows of one call of AVX-512 assembly with two panels: about a microsecond of
// work, like a tile.
const pairRows = 12

func blockAVX512[Weight weight](b block[Weight]) {
	if b.rows == 0 || b.depth == 0 {
		return
	}
	if b.rows > pairRows && b.rows <= onceRows {
		blockOnce(b)
		return
	}
	first := 0
	for first+2*panelWidth <= b.columns {
		pairs := min(groups(b.depth), (b.columns-first)/(2*panelWidth))
		width := pairs * 2 * panelWidth
		panels, dst := b.panels[first*b.depth:][:width*b.depth], b.dst[first:]
		for row, before := 0, 0; row < b.rows; before++ {
			count := tileOfRows(b.rows-row, pairRows)
			t := tile[Weight]{
				rows: count, depth: b.depth, x: tileOf(b.x, row, count, b.xStride, b.depth), xStride: b.xStride, panel: &panels[0],
				dst: tileOf(dst, row, count, b.dstStride, width), dstStride: b.dstStride, accumulate: b.accumulate,
			}
			t.multiplyPairs(before, pairs)
			row += count
		}
		first += width
	}
	if first < b.columns {
		b.dst, b.panels, b.columns = b.dst[first:], b.panels[first*b.depth:], b.columns-first
		b.eachPanel(panelTiled[Weight])
	}
}

// onceRows is the most rows of one call of AVX-512 assembly with a single panel.
const onceRows = 24

// blockOnce multiplies all rows with one panel at a time, so that each weight is read once.
func blockOnce[Weight weight](b block[Weight]) {
	x := tileOf(b.x, 0, b.rows, b.xStride, b.depth)
	whole := b.columns &^ (panelWidth - 1)
	for first := 0; first < whole; first += panelWidth {
		panel, dst := b.panels[first*b.depth:][:panelWidth*b.depth], tileOf(b.dst[first:], 0, b.rows, b.dstStride, panelWidth)
		switch panel := any(&panel[0]).(type) {
		case *float32:
			onceF32(b.rows, b.depth, x, b.xStride*scalar, panel, dst, b.dstStride*scalar, b.accumulate)
		case *uint16:
			onceBF16(b.rows, b.depth, x, b.xStride*scalar, panel, dst, b.dstStride*scalar, b.accumulate)
		}
	}
	if whole < b.columns {
		b.dst, b.panels, b.columns = b.dst[whole:], b.panels[whole*b.depth:], b.columns-whole
		b.eachPanel(panelTiled[Weight])
	}
}

// multiplyPairs is one call of assembly with some pairs of panels. before counts the earlier calls
// with the same pairs.
func (t *tile[Weight]) multiplyPairs(before, pairs int) {
	xStride, dstStride := t.xStride*scalar, t.dstStride*scalar
	switch panels := any(t.panel).(type) {
	case *float32:
		pairsF32(t.rows, t.depth, t.x, xStride, panels, t.dst, dstStride, t.accumulate, ahead(before, t.depth, scalar), pairs)
	case *uint16:
		pairsBF16(t.rows, t.depth, t.x, xStride, panels, t.dst, dstStride, t.accumulate, ahead(before, t.depth, 2), pairs)
	}
}

// ahead returns how many bytes after its weights, of some bytes each, a tile prefetches, for the
// next pair of panels. A tile prefetches one panel, so two tiles prefetch all, and later tiles
// prefetch the same again.
func ahead(before, depth, bytes int) int { return (2 + before%2) * panelWidth * bytes * depth }
