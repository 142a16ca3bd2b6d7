package jpeg

import (
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/media/chroma"
)

// render makes the pixels of a picture whose scans were all read.
func (d *Decoder) render() {
	frame := &d.file.frame
	for y := range frame.unitsHigh {
		for i := range frame.components {
			c := &d.channels[i]
			for v := range min(c.unitHigh, c.blocksHigh-y*c.unitHigh) {
				row := c.blocks[(y*c.unitHigh+v)*(c.stride/8):][:c.blocksWide]
				for x := range row {
					c.put(c.strip[(1+8*v)*c.stride+8*x:], &row[x].block, row[x].known>>1 == 0)
				}
			}
		}
		d.show(y)
	}
}

// block is 8×8 coefficients, row by row.
type block = [64]int16

// put makes the samples of a block. A flat block has only a first coefficient.
func (c *channel) put(dst []byte, block *block, flat bool) {
	if flat {
		transformFlat(dst, c.stride, block[0], c.quantizers[0])
	} else {
		kernel.Inverse(dst, c.stride, block, &c.quantizers)
	}
}

// transformFlat is [kernel.Inverse] for a block that has only its first coefficient.
func transformFlat(dst []byte, stride int, first int16, quantizer uint16) {
	sample := byte(min(max((int32(first)*int32(quantizer)+4)>>3+128, 0), 255))
	for y := range 8 {
		row := (*[8]byte)(dst[y*stride:])
		*row = [8]byte{sample, sample, sample, sample, sample, sample, sample, sample}
	}
}

// show makes the pixels of row y of the units, whose samples are in the strips. The last row of
// pixels waits for the next units, since its chroma may be interpolated with theirs; the strips
// keep their last row for it.
func (d *Decoder) show(y int) {
	frame := &d.file.frame
	until := (y+1)*8*frame.down - 1
	if y+1 == frame.unitsHigh {
		until = d.file.Height
	}
	for ; d.shown < until; d.shown++ {
		d.showRow(d.shown, y)
	}
	for i := range frame.components {
		c := &d.channels[i]
		copy(c.strip, c.strip[8*c.unitHigh*c.stride:])
	}
}

// showRow makes a row of pixels while the strips hold a row of the units.
func (d *Decoder) showRow(y, unit int) {
	width, count := d.file.Width, len(d.file.frame.components)
	var rows [4][]byte
	for i := range count {
		c := &d.channels[i]
		near, far := chroma.Rows(y, c.down, c.rows)
		top := unit*8*c.unitHigh - 1 // of the strip
		nearer := c.strip[(near-top)*c.stride:][:c.columns]
		if c.across == 1 && c.down == 1 {
			rows[i] = nearer
			continue
		}
		chroma.JPEG.Upsample(c.row, nearer, c.strip[(far-top)*c.stride:][:c.columns], c.across, c.down, y)
		rows[i] = c.row[:width]
	}
	rgb := d.rgb[y*width*3:][:width*3]
	switch {
	case count == 1:
		repeatGray(rgb, rows[0])
	case count == 4:
		d.file.light(rgb, &rows)
	case d.file.stored():
		interleave(rgb, rows[0], rows[1], rows[2])
	default:
		chroma.FullRange(rgb, rows[0], rows[1], rows[2])
	}
}

func repeatGray(rgb, gray []byte) {
	rgb = rgb[:3*len(gray)]
	for _, v := range gray {
		pixel := rgb[:3:3]
		pixel[0], pixel[1], pixel[2] = v, v, v
		rgb = rgb[3:]
	}
}

func interleave(rgb, red, green, blue []byte) {
	rgb, green, blue = rgb[:3*len(red)], green[:len(red)], blue[:len(red)]
	for i, v := range red {
		pixel := rgb[:3:3]
		pixel[0], pixel[1], pixel[2] = v, green[i], blue[i]
		rgb = rgb[3:]
	}
}
