package sound

import "sync"

// bandLayout lists the bands of a block in the order of its spectrum. A band of a short block is
// listed once for each of its three windows.
type bandLayout struct {
	widths []int
	long   int // how many of them are of a normal block; the others come in threes
}

var (
	longEdges = [3][23]int{
		{0, 4, 8, 12, 16, 20, 24, 30, 36, 44, 52, 62, 74, 90, 110, 134, 162, 196, 238, 288, 342, 418, 576},
		{0, 4, 8, 12, 16, 20, 24, 30, 36, 42, 50, 60, 72, 88, 106, 128, 156, 190, 230, 276, 330, 384, 576},
		{0, 4, 8, 12, 16, 20, 24, 30, 36, 44, 54, 66, 82, 102, 126, 156, 194, 240, 296, 364, 448, 550, 576},
	}
	shortEdges = [3][14]int{
		{0, 4, 8, 12, 16, 22, 30, 40, 52, 66, 84, 106, 136, 192},
		{0, 4, 8, 12, 16, 22, 28, 38, 50, 64, 80, 100, 126, 192},
		{0, 4, 8, 12, 16, 22, 30, 42, 58, 78, 104, 138, 180, 192},
	}
	// lowLongEdges and lowShortEdges are for 22,050 Hz, 24,000 Hz, 16,000 Hz and all lower rates,
	// and 8,000 Hz.
	lowLongEdges = [4][23]int{
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 114, 136, 162, 194, 232, 278, 332, 394, 464, 540, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		{0, 12, 24, 36, 48, 60, 72, 88, 108, 132, 160, 192, 232, 280, 336, 400, 476, 566, 568, 570, 572, 574, 576},
	}
	lowShortEdges = [4][14]int{
		{0, 4, 8, 12, 18, 24, 32, 42, 56, 74, 100, 132, 174, 192},
		{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 136, 180, 192},
		{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 134, 174, 192},
		{0, 8, 16, 24, 36, 52, 72, 96, 124, 160, 162, 164, 166, 192},
	}
)

// edgesOf returns where the bands of a normal block and of a short one begin.
func edgesOf(version, rateCode int) (long *[23]int, short *[14]int) {
	if version == 0 {
		return &longEdges[rateCode], &shortEdges[rateCode]
	}
	row := rateCode
	if version == 2 {
		row = 2 + rateCode/2
	}
	return &lowLongEdges[row], &lowShortEdges[row]
}

// layouts holds the layouts by version, rate, and kind of block: normal, short, mixed.
var layouts = sync.OnceValue(func() *[3][3][3]bandLayout {
	all := new([3][3][3]bandLayout)
	for version := range all {
		for rateCode := range all[version] {
			long, short := edgesOf(version, rateCode)
			mixed := 8 // bands of a normal block, as far as the third short one begins
			if version > 0 {
				mixed = 6
			}
			for kind, begin := range []struct{ long, short int }{{22, 13}, {0, 0}, {mixed, 3}} {
				layout := &all[version][rateCode][kind]
				layout.long = begin.long
				for band := range begin.long {
					layout.widths = append(layout.widths, long[band+1]-long[band])
				}
				for band := begin.short; band < 13; band++ {
					width := short[band+1] - short[band]
					layout.widths = append(layout.widths, width, width, width)
				}
			}
		}
	}
	return all
})

// layoutOf returns the layout of a block.
func layoutOf(version, rateCode int, side *mpegSide) *bandLayout {
	return &layouts()[version][rateCode][side.kind()]
}

// kind returns the block's index in layouts.
func (s *mpegSide) kind() int {
	switch {
	case s.block != 2:
		return 0
	case s.mixed:
		return 2
	}
	return 1
}

// scaleBits are the widths of MPEG-1's scale factors, in the lower and in the upper bands.
var scaleBits = [16][2]int{
	{0, 0}, {0, 1}, {0, 2}, {0, 3}, {3, 0}, {1, 1}, {1, 2}, {1, 3},
	{2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {4, 2}, {4, 3},
}

// readScales reads the scale factors of MPEG-1.
func (c *mpegChannel) readScales(r *bitReader) {
	widths := scaleBits[c.side.compression]
	lower, total := 11, 21
	switch c.side.kind() {
	case 1:
		lower, total = 18, 36
	case 2:
		lower, total = 8+9, 8+27
	}
	group := 0
	for band := range total {
		if c.side.kind() == 0 {
			if band == 6 || band == 11 || band == 16 {
				group++
			}
			if c.side.reuse[group] {
				continue
			}
		}
		width := widths[0]
		if band >= lower {
			width = widths[1]
		}
		c.scales[band] = uint8(r.read(width))
	}
	clear(c.scales[total:])
	for band, scale := range c.scales {
		c.illegal[band] = scale >= 7
	}
}

// lowScaleCounts are how many scale factors have each of four widths, by range of the compression
// and kind of block.
var lowScaleCounts = [6][3][4]int{
	{{6, 5, 5, 5}, {9, 9, 9, 9}, {6, 9, 9, 9}},
	{{6, 5, 7, 3}, {9, 9, 12, 6}, {6, 9, 12, 6}},
	{{11, 10, 0, 0}, {18, 18, 0, 0}, {15, 18, 0, 0}},
	{{7, 7, 7, 0}, {12, 12, 12, 0}, {6, 15, 12, 0}},
	{{6, 6, 6, 3}, {12, 9, 9, 6}, {6, 12, 9, 6}},
	{{8, 8, 5, 0}, {15, 12, 9, 0}, {6, 18, 9, 0}},
}

// readLowScales reads the scale factors of MPEG-2. In a right channel with intensity stereo they
// are the directions; the largest value of a width means no direction.
func (c *mpegChannel) readLowScales(r *bitReader, directions bool) {
	var widths [4]int
	row := 0
	code := c.side.compression
	if directions {
		code >>= 1
		switch {
		case code < 180:
			row, widths = 3, [4]int{code / 36, code % 36 / 6, code % 6}
		case code < 244:
			code -= 180
			row, widths = 4, [4]int{code >> 4, code >> 2 & 3, code & 3}
		default:
			code -= 244
			row, widths = 5, [4]int{code / 3, code % 3}
		}
	} else {
		switch {
		case code < 400:
			row, widths = 0, [4]int{code / 80, code / 16 % 5, code / 4 % 4, code % 4}
		case code < 500:
			code -= 400
			row, widths = 1, [4]int{code / 20, code / 4 % 5, code % 4}
		default:
			code -= 500
			row, widths = 2, [4]int{code / 3, code % 3}
			c.side.preemphasis = true
		}
	}
	band := 0
	for i, count := range lowScaleCounts[row][c.side.kind()] {
		for range count {
			c.scales[band] = uint8(r.read(widths[i]))
			c.illegal[band] = int(c.scales[band]) == 1<<widths[i]-1
			band++
		}
	}
	clear(c.scales[band:])
	clear(c.illegal[band:])
}
