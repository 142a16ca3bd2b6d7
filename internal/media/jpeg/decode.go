package jpeg

import "slices"

// keptBlocks is the most blocks that a Decoder keeps for the next picture: 1 MiB.
const keptBlocks = 1 << 13

// Decoder decodes files. It keeps its working memory for the next one. The zero Decoder is ready to
// use. One goroutine at a time may use it.
type Decoder struct {
	file *File
	rgb  []byte
	// direct reports that rows of pixels are made while blocks are read.
	direct     bool
	interval   int
	quantizers [4][64]uint16
	// huffman are the tables of DC coefficients, and those of AC coefficients.
	huffman  [2][4]huffman
	channels [4]channel
	// block is the one that is read in a direct picture; blocks are those of all channels of
	// others.
	block  block
	blocks []stored
	// shown is the number of rows of pixels that are done.
	shown int
	bits  source
}

// channel is a component that is being decoded.
type channel struct {
	*component
	// quantizers are those at the channel's first scan.
	quantizers [64]uint16
	quantized  bool
	prediction int32
	// blocks are in rows that are padded to whole units of the picture.
	blocks []stored
	// strip is the rows of samples of a row of units, below the last row of the units above. Its
	// rows are stride apart.
	strip  []byte
	stride int
	// row is a buffer for a row of the picture.
	row []byte
}

// Decode decodes the pixels of a file into rgb, of Width · Height · 3 bytes: rows of red, green and
// blue.
//
// It wraps [errors.ErrMalformed] for a file that does not decode whole; the content of rgb is then
// undefined.
func (d *Decoder) Decode(rgb []byte, file *File) error {
	d.file, d.rgb = file, rgb[:file.Width*file.Height*3]
	err := d.begin()
	if err == nil {
		err = segments(file.data, d.segment)
	}
	if err == nil && !d.direct {
		d.render()
	}
	d.release()
	return err
}

// begin allocates memory for a picture.
func (d *Decoder) begin() error {
	frame := &d.file.frame
	d.direct = d.file.scans == 1 && d.file.whole && !frame.progressive
	d.interval, d.shown = 0, 0
	d.quantizers = [4][64]uint16{}
	for i := range d.huffman {
		for j := range d.huffman[i] {
			d.huffman[i][j].defined = false
		}
	}
	blocks, least := 0, 0
	for i := range frame.components {
		c := &frame.components[i]
		blocks += frame.wide(c) * frame.high(c)
		least += c.blocksWide * c.blocksHigh
	}
	// Each block takes at least a bit of the file, so a header that claims more is refused before
	// memory is allocated.
	if least > 8*len(d.file.data) {
		return endsEarly()
	}
	if !d.direct {
		d.blocks = slices.Grow(d.blocks[:0], blocks)[:blocks]
		clear(d.blocks)
	}
	rest := d.blocks
	for i := range frame.components {
		c := &d.channels[i]
		c.component, c.quantized = &frame.components[i], false
		c.stride = 8 * frame.wide(c.component)
		c.strip = resized(c.strip, c.stride*(1+8*c.unitHigh))
		c.row = resized(c.row, c.columns*c.across)
		if !d.direct {
			count := frame.wide(c.component) * frame.high(c.component)
			c.blocks, rest = rest[:count], rest[count:]
		}
	}
	return nil
}

// release drops the file, and memory that is too large to keep.
func (d *Decoder) release() {
	d.file, d.rgb = nil, nil
	for i := range d.channels {
		d.channels[i].component, d.channels[i].blocks = nil, nil
	}
	if cap(d.blocks) > keptBlocks {
		d.blocks = nil
	}
}

// resized returns memory of a length, and reuses old if it fits.
func resized(old []byte, length int) []byte { return slices.Grow(old[:0], length)[:length] }

func (d *Decoder) segment(s segment) error {
	switch s.marker {
	case markerQuantizers:
		return d.defineQuantizers(s.body)
	case markerHuffman:
		return d.defineHuffman(s.body)
	case markerInterval:
		return d.defineInterval(s.body)
	case markerScan:
		return d.scan(s.body, s.coded)
	}
	return nil
}

// scan decodes a scan.
func (d *Decoder) scan(body, coded []byte) error {
	s, err := d.file.frame.readScan(body)
	if err != nil {
		return err
	}
	r := reader{scan: s, decoder: d, progressive: d.file.frame.progressive}
	for i, index := range s.components[:s.count] {
		c := &d.channels[index]
		if r.channels[i] = c; !c.quantized {
			c.quantizers, c.quantized = d.quantizers[c.quantizer], true
		}
		c.prediction = 0
		if s.first == 0 && s.high == 0 {
			if r.direct[i], err = d.table(0, s.direct[i]); err != nil {
				return err
			}
		}
		if s.last > 0 {
			if r.alternating[i], err = d.table(1, s.alternating[i]); err != nil {
				return err
			}
		}
	}
	d.bits.begin(coded)
	return r.read()
}

// reader reads a scan, block by block.
type reader struct {
	scan
	decoder     *Decoder
	progressive bool
	channels    [4]*channel
	// direct and alternating are the tables of each channel that needs them.
	direct, alternating [4]*huffman
}

// read reads all units of the scan. A scan of one component consists of its blocks: those that fill
// up the last units of the picture are not in it, and restarts count blocks.
func (r *reader) read() error {
	d := r.decoder
	wide, high := d.file.frame.unitsWide, d.file.frame.unitsHigh
	if r.count == 1 {
		wide, high = r.channels[0].blocksWide, r.channels[0].blocksHigh
	}
	left, restarts := d.interval, 0
	for y := range high {
		for x := range wide {
			if d.interval > 0 {
				if left == 0 {
					if !d.bits.restart(restarts % 8) {
						return malformed("the JPEG does not decode: restart marker %d of a scan is missing", restarts)
					}
					restarts++
					left = d.interval
					for _, c := range r.channels[:r.count] {
						c.prediction = 0
					}
				}
				left--
			}
			if !r.unit(x, y) {
				if d.bits.short() {
					return malformed("the JPEG does not decode: a scan ends before its picture")
				}
				return malformed("the JPEG does not decode: a scan has an invalid block at %d, %d of %d×%d", x, y, wide, high)
			}
		}
		if d.direct {
			d.show(y)
		}
	}
	if d.bits.short() {
		return malformed("the JPEG does not decode: a scan ends before its picture")
	}
	return nil
}

// unit reads a unit of the scan.
func (r *reader) unit(x, y int) bool {
	if r.count == 1 {
		return r.block(0, x, y, y)
	}
	for i, c := range r.channels[:r.count] {
		for v := range c.unitHigh {
			for h := range c.unitWide {
				if !r.block(i, x*c.unitWide+h, y*c.unitHigh+v, v) {
					return false
				}
			}
		}
	}
	return true
}

// block reads a block of a channel, in a column and a row of the picture's blocks. down is the row
// within its units.
func (r *reader) block(i, column, row, down int) bool {
	d, c := r.decoder, r.channels[i]
	if d.bits.at > d.bits.low && !d.bits.ensure() {
		return false
	}
	if d.direct {
		if r.count == 1 {
			down = 0 // a picture of one component has units of one block
		}
		d.block = block{}
		last, ok := d.bits.sequential(&d.block, r.direct[i], r.alternating[i], &c.prediction)
		c.put(c.strip[(1+8*down)*c.stride+8*column:], &d.block, last == 0)
		return ok
	}
	into := &c.blocks[row*(c.stride/8)+column]
	switch {
	case !r.progressive:
		*into = stored{}
		last, ok := d.bits.sequential(&into.block, r.direct[i], r.alternating[i], &c.prediction)
		into.known = 2<<last - 1
		return ok
	case r.first > 0 && r.high > 0:
		return d.bits.alternatingRefine(into, r.alternating[i], &r.scan)
	case r.first > 0:
		return d.bits.alternatingFirst(into, r.alternating[i], &r.scan)
	case r.high > 0:
		d.bits.directRefine(&into.block, r.low)
		return true
	}
	return d.bits.directFirst(&into.block, r.direct[i], &c.prediction, r.low)
}
