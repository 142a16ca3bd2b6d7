package vp8l

// The kinds of transforms.
const (
	predicted = iota
	crossed
	greenless
	indexed
)

type transform struct {
	kind  uint32
	tile  uint
	tiles []uint32
}

// Picture is rows of pixels, without gaps.
type Picture struct {
	Width, Height int
	// Pixels are alpha, red, green and blue, in the bytes of a word from the highest on. Colours
	// are not multiplied by alpha.
	Pixels []uint32
}

// Decode decodes a picture, and reports whether it is one that this package decodes.
func Decode(data []byte) (*Picture, bool) {
	d := &decoder{data: append(append(make([]byte, 0, len(data)+ahead), data...), make([]byte, ahead)...)}
	if d.read(8) != 0x2F {
		return nil, false
	}
	width, height := 1+int(d.read(14)), 1+int(d.read(14))
	d.read(1) // whether alpha is used
	if d.read(3) != 0 {
		return nil, false
	}
	var transforms []transform
	for seen := [indexed]bool{}; d.read(1) == 1; {
		t := transform{kind: d.read(2)}
		if t.kind == indexed || seen[t.kind] {
			return nil, false
		}
		seen[t.kind] = true
		if t.kind != greenless {
			t.tile = 2 + uint(d.read(3))
			var ok bool
			if t.tiles, ok = d.pixels(parts(width, t.tile), parts(height, t.tile), false); !ok {
				return nil, false
			}
		}
		transforms = append(transforms, t)
	}
	pixels, ok := d.pixels(width, height, true)
	if !ok {
		return nil, false
	}
	for i := len(transforms) - 1; i >= 0; i-- {
		switch t := &transforms[i]; t.kind {
		case predicted:
			t.predict(pixels, width)
		case crossed:
			t.cross(pixels, width)
		case greenless:
			for i, v := range pixels {
				green := v >> 8 & 0xFF
				pixels[i] = v&0xFF00FF00 | (v&0x00FF00FF+green*0x00010001)&0x00FF00FF
			}
		}
	}
	return &Picture{width, height, pixels}, true
}

// cross adds to red and blue their shares of green, and to blue that of red.
func (t *transform) cross(pixels []uint32, width int) {
	share := func(factor, colour uint32) uint32 {
		return uint32(int32(int8(factor)) * int32(int8(colour)) >> 5)
	}
	for y := 0; len(pixels) > 0; y++ {
		tiles := t.tiles[y>>t.tile*parts(width, t.tile):]
		for x, v := range pixels[:width] {
			factors := tiles[x>>t.tile]
			red := (v>>16 + share(factors, v>>8)) & 0xFF
			blue := v + share(factors>>8, v>>8) + share(factors>>16, red)
			pixels[x] = v&0xFF00FF00 | red<<16 | blue&0xFF
		}
		pixels = pixels[width:]
	}
}

// predict adds to each pixel what its neighbours predict.
func (t *transform) predict(pixels []uint32, width int) {
	pixels[0] = sum(pixels[0], 0xFF000000)
	for x := 1; x < width; x++ {
		pixels[x] = sum(pixels[x], pixels[x-1])
	}
	for at, y := width, 1; at < len(pixels); at, y = at+width, y+1 {
		pixels[at] = sum(pixels[at], pixels[at-width])
		tiles := t.tiles[y>>t.tile*parts(width, t.tile):]
		for x := 1; x < width; {
			end := min((x>>t.tile+1)<<t.tile, width)
			predictRun(pixels, at+x, at+end, width, tiles[x>>t.tile]>>8&15)
			x = end
		}
	}
}

// predictRun adds to the pixels from one on what a mode predicts of those on the left, above and
// beside.
func predictRun(pixels []uint32, from, to, width int, mode uint32) {
	row, above := pixels[from-1:to], pixels[from-1-width:to-width+1]
	left := row[0]
	row = row[1:]
	above = above[:len(row)+2]
	for i, v := range row {
		corner, up, beside := above[i], above[i+1], above[i+2]
		var p uint32
		switch mode {
		case 1:
			p = left
		case 2:
			p = up
		case 3:
			p = beside
		case 4:
			p = corner
		case 5:
			p = mean(mean(left, beside), up)
		case 6:
			p = mean(left, corner)
		case 7:
			p = mean(left, up)
		case 8:
			p = mean(corner, up)
		case 9:
			p = mean(up, beside)
		case 10:
			p = mean(mean(left, corner), mean(up, beside))
		case 11:
			p = nearer(left, up, corner)
		case 12:
			p = gradient(left, up, corner)
		case 13:
			p = halfway(mean(left, up), corner)
		case 0:
			p = 0xFF000000
		}
		left = sum(v, p)
		row[i] = left
	}
}

// sum adds byte by byte.
func sum(v, w uint32) uint32 {
	return (v&0xFF00FF00+w&0xFF00FF00)&0xFF00FF00 | (v&0x00FF00FF+w&0x00FF00FF)&0x00FF00FF
}

// mean is the mean of each byte, rounded down.
func mean(v, w uint32) uint32 { return (v^w)&0xFEFEFEFE>>1 + v&w }

// nearer returns left or up: which of them is nearer to what the gradient predicts.
func nearer(left, up, corner uint32) uint32 {
	toLeft, toUp := int32(0), int32(0)
	for shift := 0; shift < 32; shift += 8 {
		c := int32(corner >> shift & 0xFF)
		l, u := c-int32(left>>shift&0xFF), c-int32(up>>shift&0xFF)
		toLeft, toUp = toLeft+max(u, -u), toUp+max(l, -l)
	}
	if toLeft < toUp {
		return left
	}
	return up
}

func gradient(left, up, corner uint32) (p uint32) {
	for shift := 0; shift < 32; shift += 8 {
		v := int32(left>>shift&0xFF) + int32(up>>shift&0xFF) - int32(corner>>shift&0xFF)
		p |= uint32(min(max(v, 0), 255)) << shift
	}
	return p
}

func halfway(middle, corner uint32) (p uint32) {
	for shift := 0; shift < 32; shift += 8 {
		m := int32(middle >> shift & 0xFF)
		v := m + (m-int32(corner>>shift&0xFF))/2
		p |= uint32(min(max(v, 0), 255)) << shift
	}
	return p
}
