package kernel

import "encoding/binary"

// UpsampleRows interpolates between two rows of samples, three parts near to one part far. bias is
// added before the division. dst and far are as long as near.
func UpsampleRows(dst, near, far []byte, bias int) { media().upsampleRows(dst, near, far, bias) }

// UpsampleColumns interpolates a row to twice its length, which dst has: three parts of a sample to
// one part of the one before it, or after it in odd places; at the ends, of itself. even and odd
// are added before the division.
func UpsampleColumns(dst, near []byte, even, odd int) { media().upsampleColumns(dst, near, even, odd) }

// UpsampleBoth is [UpsampleColumns] of what UpsampleRows makes of two rows, before it divides.
func UpsampleBoth(dst, near, far []byte, even, odd int) {
	media().upsampleBoth(dst, near, far, even, odd)
}

// FullRange converts a row of JPEG's colours to red, green and blue: BT.601 of 0 … 255, in steps of
// 2^-16. The rows of samples have one value for each pixel of y; rgb has three.
func FullRange(rgb, y, cb, cr []byte) { media().fullRange(rgb, y, cb, cr) }

// LimitedRange converts a row of VP8's colours: BT.601 with luma of 16 … 235 and chroma of 16 …
// 240. Each product is truncated to steps of 2^-6, as in libwebp.
func LimitedRange(rgb, y, cb, cr []byte) { media().limitedRange(rgb, y, cb, cr) }

// Four samples are processed at once, in the 16-bit lanes of a word: no sum exceeds its lane.
const (
	ones     = 0x0001_0001_0001_0001
	lowBytes = 0x00FF_00FF_00FF_00FF
)

// lanes returns four samples, the first in the lowest lane.
func lanes(samples []byte) uint64 {
	v := uint64(binary.LittleEndian.Uint32(samples))
	v = (v | v<<16) & 0x0000_FFFF_0000_FFFF
	return (v | v<<8) & lowBytes
}

func upsampleRowsPortable(dst, near, far []byte, bias int) {
	dst, far = dst[:len(near)], far[:len(near)]
	i, each := 0, uint64(bias)*ones
	for ; i+4 <= len(near); i += 4 {
		v := (3*lanes(near[i:]) + lanes(far[i:]) + each) >> 2 & lowBytes
		v = (v | v>>8) & 0x0000_FFFF_0000_FFFF
		binary.LittleEndian.PutUint32(dst[i:], uint32(v|v>>16))
	}
	for ; i < len(near); i++ {
		dst[i] = byte((3*int(near[i]) + int(far[i]) + bias) >> 2)
	}
}

func upsampleColumnsPortable(dst, near []byte, even, odd int) {
	if len(near) == 0 {
		return
	}
	dst = dst[:2*len(near)]
	last := uint64(near[0])
	i, evenEach, oddEach := 0, uint64(even)*ones, uint64(odd)*ones
	for ; i+4 < len(near); i += 4 {
		here := lanes(near[i:])
		before, after := here<<16|last, here>>16|uint64(near[i+4])<<48
		evens := (3*here + before + evenEach) >> 2 & lowBytes
		odds := (3*here + after + oddEach) >> 2 & lowBytes
		binary.LittleEndian.PutUint64(dst[2*i:], evens|odds<<8)
		last = here >> 48
	}
	for ; i < len(near); i++ {
		upsampleColumn(dst, near, i, even, odd)
	}
}

// upsampleColumn makes the two samples of near[i].
func upsampleColumn(dst, near []byte, i, even, odd int) {
	before, here, after := int(near[max(i-1, 0)]), int(near[i]), int(near[min(i+1, len(near)-1)])
	dst[2*i] = byte((3*here + before + even) >> 2)
	dst[2*i+1] = byte((3*here + after + odd) >> 2)
}

func upsampleBothPortable(dst, near, far []byte, even, odd int) {
	if len(near) == 0 {
		return
	}
	dst, far = dst[:2*len(near)], far[:len(near)]
	sum := func(i int) uint64 { return 3*uint64(near[i]) + uint64(far[i]) }
	last := sum(0)
	i, evenEach, oddEach := 0, uint64(even)*ones, uint64(odd)*ones
	for ; i+4 < len(near); i += 4 {
		here := 3*lanes(near[i:]) + lanes(far[i:])
		before, after := here<<16|last, here>>16|sum(i+4)<<48
		evens := (3*here + before + evenEach) >> 4 & lowBytes
		odds := (3*here + after + oddEach) >> 4 & lowBytes
		binary.LittleEndian.PutUint64(dst[2*i:], evens|odds<<8)
		last = here >> 48
	}
	for ; i < len(near); i++ {
		upsampleCorner(dst, near, far, i, even, odd)
	}
}

// upsampleCorner makes the two samples of near[i] and far[i].
func upsampleCorner(dst, near, far []byte, i, even, odd int) {
	sum := func(i int) int { return 3*int(near[i]) + int(far[i]) }
	before, here, after := sum(max(i-1, 0)), sum(i), sum(min(i+1, len(near)-1))
	dst[2*i] = byte((3*here + before + even) >> 4)
	dst[2*i+1] = byte((3*here + after + odd) >> 4)
}

func fullRangePortable(rgb, y, cb, cr []byte) {
	last := len(y) - 1
	if last < 0 {
		return
	}
	rgb, cb, cr = rgb[:3*len(y)], cb[:len(y)], cr[:len(y)]
	for i, luma := range y[:last] {
		red, green, blue := light(luma, cb[i], cr[i])
		// The fourth byte is the next pixel's, which is set after it.
		binary.LittleEndian.PutUint32(rgb[3*i:], red|green<<8|blue<<16)
	}
	red, green, blue := light(y[last], cb[last], cr[last])
	pixel := rgb[3*last:][:3]
	pixel[0], pixel[1], pixel[2] = byte(red), byte(green), byte(blue)
}

// light returns the RGB of a pixel of JPEG's colours. It has no branch, since noise in dark and
// bright places exceeds 0 … 255 unpredictably.
func light(luma, cb, cr byte) (red, green, blue uint32) {
	b, r := int32(cb)-128, int32(cr)-128
	level := int32(luma)<<16 + 1<<15
	clamp := func(v int32) uint32 { return uint32(min(max(v>>16, 0), 255)) }
	return clamp(level + 91881*r), clamp(level - 22554*b - 46802*r), clamp(level + 116130*b)
}

func limitedRangePortable(rgb, y, cb, cr []byte) {
	clamp := func(v int) byte { return byte(min(max(v>>6, 0), 255)) }
	rgb, cb, cr = rgb[:3*len(y)], cb[:len(y)], cr[:len(y)]
	for i := range y {
		level, blue, red := int(y[i])*19077>>8, int(cb[i]), int(cr[i])
		pixel := rgb[3*i : 3*i+3 : 3*i+3]
		pixel[0] = clamp(level + red*26149>>8 - 14234)
		pixel[1] = clamp(level - blue*6419>>8 - red*13320>>8 + 8708)
		pixel[2] = clamp(level + blue*33050>>8 - 17685)
	}
}
