package kernel

// pairRows is how many rows one call of AVX-512 assembly takes at most, with two panels: a microsecond's work, like a
// tile's.
const pairRows = 12

func blockAVX512[Weight weight](dst []float32, dstStride int, x []float32, xStride, rows, depth int, panels []Weight, columns int, accumulate bool) {
	if rows == 0 || depth == 0 {
		return
	}
	asking := 1
	if rows > pairRows {
		asking = tilesThatAsk(panels)
	}
	first := 0
	for ; first+2*panelWidth <= columns; first += 2 * panelWidth {
		pair := panels[first*depth:][:2*panelWidth*depth]
		for row, tile := 0, 0; row < rows; tile++ {
			count := pairTile(rows-row, asking-tile)
			from, to := tileOf(x, row, count, xStride, depth), tileOf(dst[first:], row, count, dstStride, 2*panelWidth)
			multiplyPair(count, depth, from, xStride, &pair[0], to, dstStride, accumulate, tile)
			row += count
		}
	}
	if first < columns {
		eachPanel(panelTiled[Weight], dst[first:], dstStride, x, xStride, rows, depth, panels[first*depth:], columns-first, accumulate)
	}
}

// multiplyPair multiplies one tile of rows with a pair of panels; tile counts those before it with the same pair.
func multiplyPair[Weight weight](rows, depth int, x *float32, xStride int, panels *Weight, dst *float32, dstStride int, accumulate bool, tile int) {
	switch panels := any(panels).(type) {
	case *float32:
		pairF32(rows, depth, x, xStride, panels, dst, dstStride, accumulate, aheadF32(tile, depth))
	case *uint16:
		pairBF16(rows, depth, x, xStride, panels, dst, dstStride, accumulate, aheadBF16(tile, depth))
	}
}

// pairTile is how many of the rows that are left the next call takes, where they make so many tiles at least. Few rows leave the arithmetic
// waiting for weights, so the last two tiles share what one of them would have too few of.
func pairTile(left, tiles int) int {
	switch {
	case tiles > 1 && left < tiles*pairRows:
		return (left + tiles - 1) / tiles
	case left <= pairRows:
		return left
	case left < 2*pairRows:
		return (left + 1) / 2
	}
	return pairRows
}

// tilesThatAsk is how many tiles it takes to ask for all of the next pair of panels: fewer would wait for the rest of it.
func tilesThatAsk[Weight weight](panels []Weight) int {
	if _, full := any(panels).([]float32); full {
		return 4
	}
	return 2
}

// aheadF32 is how far past its weights a tile asks for lines of the next pair of panels. A tile asks for every second line of one
// panel, so four tiles ask for all, and more ask again for what is there.
func aheadF32(tile, depth int) int {
	const bytes = panelWidth * scalar
	return (2+tile/2%2)*bytes*depth + tile%2*bytes
}

// aheadBF16 is aheadF32 for halves, of which two lines of a panel stand in one of memory.
func aheadBF16(tile, depth int) int { return (2 + tile%2) * panelWidth * 2 * depth }

func pairF32(rows, depth int, x *float32, xStride int, panels *float32, dst *float32, dstStride int, accumulate bool, ahead int) {
	xStride, dstStride = xStride*scalar, dstStride*scalar
	switch rows {
	case 1:
		pair1F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 2:
		pair2F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 3:
		pair3F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 4:
		pair4F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 5:
		pair5F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 6:
		pair6F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 7:
		pair7F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 8:
		pair8F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 9:
		pair9F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 10:
		pair10F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 11:
		pair11F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 12:
		pair12F32(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	}
}

func pairBF16(rows, depth int, x *float32, xStride int, panels *uint16, dst *float32, dstStride int, accumulate bool, ahead int) {
	xStride, dstStride = xStride*scalar, dstStride*scalar
	switch rows {
	case 1:
		pair1BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 2:
		pair2BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 3:
		pair3BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 4:
		pair4BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 5:
		pair5BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 6:
		pair6BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 7:
		pair7BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 8:
		pair8BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 9:
		pair9BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 10:
		pair10BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 11:
		pair11BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	case 12:
		pair12BF16(depth, x, xStride, panels, dst, dstStride, accumulate, ahead)
	}
}
