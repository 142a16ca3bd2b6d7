package vp8l

import "encoding/binary"

const (
	// ahead is how many zero bytes follow the data: what is read at a time.
	ahead = 8

	literals   = 256
	lengths    = 24
	distances  = 40
	mostGroups = 1000
)

// decoder reads the bits of a picture, the lowest of a byte first.
type decoder struct {
	data  []byte // with ahead zeros behind
	at    int
	held  uint64
	count uint
}

// refill makes at least 56 bits ready, which are zero behind the data.
func (d *decoder) refill() {
	d.held |= binary.LittleEndian.Uint64(d.data[min(d.at, len(d.data)-ahead):]) << (d.count & 63)
	d.at += int(63-d.count) >> 3
	d.count |= 56
}

// short reports whether more was read than there is.
func (d *decoder) short() bool { return 8*d.at-int(d.count) > 8*(len(d.data)-ahead) }

// read reads up to 32 bits.
func (d *decoder) read(count uint) uint32 {
	if d.count < count {
		d.refill()
	}
	v := uint32(d.held & (1<<count - 1))
	d.held >>= count
	d.count -= count
	return v
}

// symbol reads a symbol.
func (d *decoder) symbol(c code) uint32 {
	if d.count < longestCode {
		d.refill()
	}
	symbol, length := c.find(d.held)
	d.held >>= length
	d.count -= length
	return symbol
}

// group is the codes of a part of a picture: of green, lengths and the cache, of red, blue and
// alpha, and of distances.
type group [5]code

// orderOfLengths is the order in which the lengths of the codes of lengths are stored.
var orderOfLengths = [19]byte{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// code reads a code of a number of symbols.
func (d *decoder) code(symbols int) (code, bool) {
	all := make([]byte, symbols)
	if d.read(1) == 1 { // one or two symbols
		two := d.read(1) == 1
		first := d.read(1 + 7*uint(d.read(1)))
		if int(first) >= symbols {
			return nil, false
		}
		if !two {
			return single(first), true
		}
		second := d.read(8)
		if int(second) >= symbols || first == second {
			return nil, false
		}
		all[first], all[second] = 1, 1
		// The first of the file has the lower code, whatever its value.
		table, ok := newCode(all)
		if first > second {
			for i := range table {
				table[i] = []uint32{first, second}[i&1]<<8 | 1
			}
		}
		return table, ok
	}
	var short [19]byte
	for _, at := range orderOfLengths[:4+d.read(4)] {
		short[at] = byte(d.read(3))
	}
	table, ok := newCode(short[:])
	if !ok {
		return nil, false
	}
	left := symbols
	if d.read(1) == 1 {
		if left = 2 + int(d.read(2+2*uint(d.read(3)))); left > symbols {
			return nil, false
		}
	}
	before := byte(8)
	for done := 0; done < symbols && left > 0; left-- {
		value, repeat := byte(d.symbol(table)), 1
		switch value {
		case 16:
			value, repeat = before, 3+int(d.read(2))
		case 17:
			value, repeat = 0, 3+int(d.read(3))
		case 18:
			value, repeat = 0, 11+int(d.read(7))
		}
		if repeat > symbols-done {
			return nil, false
		}
		for range repeat {
			all[done] = value
			done++
		}
		if value > 0 {
			before = value
		}
	}
	return newCode(all)
}

// pixels reads a picture. One that is no part of another may have codes for each of its tiles.
func (d *decoder) pixels(width, height int, whole bool) ([]uint32, bool) {
	cached := uint(0)
	if d.read(1) == 1 {
		if cached = uint(d.read(4)); cached < 1 || cached > 11 {
			return nil, false
		}
	}
	tile, tiles, count := uint(0), []uint32(nil), 1
	if whole && d.read(1) == 1 {
		tile = 2 + uint(d.read(3))
		var ok bool
		if tiles, ok = d.pixels(parts(width, tile), parts(height, tile), false); !ok {
			return nil, false
		}
		for i, v := range tiles {
			tiles[i] = v >> 8 & 0xFFFF
			count = max(count, int(tiles[i])+1)
		}
		if count > mostGroups || count > len(tiles) {
			return nil, false
		}
	}
	groups := make([]group, count)
	for i := range groups {
		sizes := [5]int{literals + lengths, literals, literals, literals, distances}
		if cached > 0 {
			sizes[0] += 1 << cached
		}
		for j, size := range sizes {
			var ok bool
			if groups[i][j], ok = d.code(size); !ok || d.short() {
				return nil, false
			}
		}
	}
	into := make([]uint32, width*height)
	return into, d.fill(into, width, groups, tiles, tile, cached) && !d.short()
}

// fill reads the pixels of a picture.
func (d *decoder) fill(into []uint32, width int, groups []group, tiles []uint32, tile, cached uint) bool {
	const factor = 0x1E35A7BD
	cache, kept := make([]uint32, 1<<cached), 0
	g := &groups[0]
	x, y, mask := 0, 0, 1<<tile-1
	for done := 0; done < len(into); {
		if tiles != nil && (x&mask == 0 || g == nil) {
			g = &groups[tiles[y>>tile*parts(width, tile)+x>>tile]]
		}
		d.refill()
		green, length := g[0].find(d.held)
		d.held >>= length
		d.count -= length
		if green < literals {
			red, length := g[1].find(d.held)
			d.held >>= length
			d.count -= length
			blue, length := g[2].find(d.held)
			d.held >>= length
			d.count -= length
			into[done] = d.symbol(g[3])<<24 | red<<16 | green<<8 | blue
		} else if green >= literals+lengths {
			for ; kept < done; kept++ {
				cache[into[kept]*factor>>(32-cached)] = into[kept]
			}
			into[done] = cache[green-literals-lengths]
		} else {
			length := int(d.number(green - literals))
			distance := away(width, int(d.number(d.symbol(g[4]))))
			if distance > done || length > len(into)-done || d.short() {
				return false
			}
			for i := range length {
				into[done+i] = into[done+i-distance]
			}
			done += length
			x += length
			y, x = y+x/width, x%width
			g = nil
			if tiles == nil {
				g = &groups[0]
			}
			continue
		}
		done++
		if x++; x == width {
			x, y = 0, y+1
			if d.short() {
				return false
			}
		}
	}
	return true
}

// number reads what a symbol of lengths or distances stands for.
func (d *decoder) number(symbol uint32) uint32 {
	if symbol < 4 {
		return symbol + 1
	}
	extra := uint(symbol-2) >> 1
	return (2+symbol&1)<<extra + d.read(extra) + 1
}

// around are the distances of the nearest pixels: rows above in the upper half, and 8 less the
// columns to the left in the lower one.
var around = [120]byte{
	0x18, 0x07, 0x17, 0x19, 0x28, 0x06, 0x27, 0x29, 0x16, 0x1a,
	0x26, 0x2a, 0x38, 0x05, 0x37, 0x39, 0x15, 0x1b, 0x36, 0x3a,
	0x25, 0x2b, 0x48, 0x04, 0x47, 0x49, 0x14, 0x1c, 0x35, 0x3b,
	0x46, 0x4a, 0x24, 0x2c, 0x58, 0x45, 0x4b, 0x34, 0x3c, 0x03,
	0x57, 0x59, 0x13, 0x1d, 0x56, 0x5a, 0x23, 0x2d, 0x44, 0x4c,
	0x55, 0x5b, 0x33, 0x3d, 0x68, 0x02, 0x67, 0x69, 0x12, 0x1e,
	0x66, 0x6a, 0x22, 0x2e, 0x54, 0x5c, 0x43, 0x4d, 0x65, 0x6b,
	0x32, 0x3e, 0x78, 0x01, 0x77, 0x79, 0x53, 0x5d, 0x11, 0x1f,
	0x64, 0x6c, 0x42, 0x4e, 0x76, 0x7a, 0x21, 0x2f, 0x75, 0x7b,
	0x31, 0x3f, 0x63, 0x6d, 0x52, 0x5e, 0x00, 0x74, 0x7c, 0x41,
	0x4f, 0x10, 0x20, 0x62, 0x6e, 0x30, 0x73, 0x7d, 0x51, 0x5f,
	0x40, 0x72, 0x7e, 0x61, 0x6f, 0x50, 0x71, 0x7f, 0x60, 0x70,
}

// away returns the distance that a code of it stands for.
func away(width, distance int) int {
	if distance > len(around) {
		return distance - len(around)
	}
	place := int(around[distance-1])
	return max(place>>4*width+8-place&15, 1)
}

// parts returns how many tiles cover a length.
func parts(length int, tile uint) int { return (length + 1<<tile - 1) >> tile }
