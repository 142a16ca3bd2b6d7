package jpeg

import "encoding/binary"

// frame is the head of a picture.
type frame struct {
	progressive bool
	components  []component
	// across and down are the largest sampling factors of the components: a unit of an interleaved
	// scan has this many blocks on each axis.
	across, down int
	// unitsWide and unitsHigh are the picture's size in units of an interleaved scan.
	unitsWide, unitsHigh int
}

// component is one channel of a picture.
type component struct {
	id, quantizer byte
	// unitWide and unitHigh are the sampling factors: the component's blocks in a unit of an
	// interleaved scan.
	unitWide, unitHigh int
	// across and down are the pixels that a sample covers.
	across, down int
	// columns and rows count samples; blocksWide and blocksHigh count the blocks in a scan of this
	// component alone, which end where the samples do. Those of an interleaved scan end with a
	// unit.
	columns, rows          int
	blocksWide, blocksHigh int
	// begun reports that a scan of the first coefficient was read. exact has a bit for each
	// coefficient that was read to its last bit.
	begun bool
	exact uint64
}

// wholeBand is all 64 coefficients.
const wholeBand = 1<<64 - 1

// readFrame reads a frame header, and refuses frames that cannot be decoded.
func (f *File) readFrame(marker byte, body []byte) error {
	switch {
	case f.frame.components != nil:
		return malformed("the JPEG does not decode: it has two frames")
	case len(body) < 6 || len(body) != 6+3*int(body[5]):
		return malformed("the JPEG does not decode: a frame header of %d bytes", len(body))
	case marker >= markerArithmetic:
		return unsupported("the JPEG is coded arithmetically: save it with Huffman codes")
	case marker > markerProgressive:
		return unsupported("the JPEG is lossless or hierarchical: save it as baseline or progressive")
	case body[0] != 8:
		return unsupported("the JPEG has samples of %d bits: save it with 8", body[0])
	}
	f.Height, f.Width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	if f.Width == 0 || f.Height == 0 {
		return malformed("the JPEG is %d×%d pixels: one side is zero", f.Width, f.Height)
	}
	if count := body[5]; count != 1 && count != 3 && count != 4 {
		return unsupported("the JPEG has %d components: save it as gray, RGB or CMYK", count)
	}
	f.frame.progressive = marker == markerProgressive
	return f.frame.lay(body[6:], f.Width, f.Height)
}

// lay computes the layout of the components.
func (f *frame) lay(body []byte, width, height int) error {
	f.components = make([]component, len(body)/3)
	for i := range f.components {
		c, said := &f.components[i], body[3*i:]
		c.id, c.quantizer, c.unitWide, c.unitHigh = said[0], said[2], int(said[1]>>4), int(said[1]&15)
		if c.unitWide == 0 || c.unitWide > 4 || c.unitHigh == 0 || c.unitHigh > 4 || c.quantizer > 3 {
			return malformed("the JPEG does not decode: component %d is sampled %d×%d, with quantization table %d",
				c.id, c.unitWide, c.unitHigh, c.quantizer)
		}
		for _, other := range f.components[:i] {
			if other.id == c.id {
				return malformed("the JPEG does not decode: two components have the number %d", c.id)
			}
		}
		if len(f.components) == 1 {
			c.unitWide, c.unitHigh = 1, 1 // a scan of one component has no units
		}
		f.across, f.down = max(f.across, c.unitWide), max(f.down, c.unitHigh)
	}
	f.unitsWide, f.unitsHigh = parts(width, 8*f.across), parts(height, 8*f.down)
	for i := range f.components {
		c := &f.components[i]
		if f.across%c.unitWide != 0 || f.down%c.unitHigh != 0 {
			return unsupported("the JPEG has components sampled in an uncommon way, %d×%d of %d×%d: save it as 4:4:4 or 4:2:0",
				c.unitWide, c.unitHigh, f.across, f.down)
		}
		c.across, c.down = f.across/c.unitWide, f.down/c.unitHigh
		c.columns, c.rows = parts(width, c.across), parts(height, c.down)
		c.blocksWide, c.blocksHigh = parts(c.columns, 8), parts(c.rows, 8)
	}
	return nil
}

// wide and high return the number of blocks in all units.
func (f *frame) wide(c *component) int { return f.unitsWide * c.unitWide }
func (f *frame) high(c *component) int { return f.unitsHigh * c.unitHigh }

// parts returns the number of parts of a size that cover a length.
func parts(length, size int) int { return (length + size - 1) / size }
