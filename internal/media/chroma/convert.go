package chroma

import "encoding/binary"

// FullRange converts a row of JPEG's colours: BT.601 of 0 … 255, in steps of 2^-16. The rows of
// samples have one value for each pixel of y; rgb has three.
func FullRange(rgb, y, cb, cr []byte) {
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
	return bounded((level + 91881*r) >> 16), bounded((level - 22554*b - 46802*r) >> 16), bounded((level + 116130*b) >> 16)
}

func bounded(v int32) uint32 { return uint32(min(max(v, 0), 255)) }

// LimitedRange converts a row of VP8's colours: BT.601 with luma of 16 … 235 and chroma of 16 …
// 240. Each product is truncated to steps of 2^-6, as in libwebp, so that the results are
// bit-identical.
func LimitedRange(rgb, y, cb, cr []byte) {
	for i := range y {
		level, blue, red := int(y[i])*19077>>8, int(cb[i]), int(cr[i])
		pixel := rgb[3*i : 3*i+3 : 3*i+3]
		pixel[0] = clamp((level + red*26149>>8 - 14234) >> 6)
		pixel[1] = clamp((level - blue*6419>>8 - red*13320>>8 + 8708) >> 6)
		pixel[2] = clamp((level + blue*33050>>8 - 17685) >> 6)
	}
}

func clamp(v int) byte { return byte(min(max(v, 0), 255)) }
