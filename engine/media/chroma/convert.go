package chroma

// FullRange converts a row of JPEG's colours: BT.601 of 0 … 255, in steps of 2^-16. The rows of samples have one for each pixel
// of y, rgb three.
func FullRange(rgb, y, cb, cr []byte) {
	rgb, cb, cr = rgb[:3*len(y)], cb[:len(y)], cr[:len(y)]
	for i, luma := range y {
		blue, red := int32(cb[i])-128, int32(cr[i])-128
		level := int32(luma)<<16 + 1<<15
		pixel := rgb[:3:3]
		pixel[0] = whole(level + 91881*red)
		pixel[1] = whole(level - 22554*blue - 46802*red)
		pixel[2] = whole(level + 116130*blue)
		rgb = rgb[3:]
	}
}

// whole is a level in steps of 2^-16 as a sample. Few leave 0 … 255, so a branch costs less than two comparisons.
func whole(level int32) byte {
	if uint32(level)>>24 == 0 {
		return byte(level >> 16)
	}
	return byte(^(level >> 31))
}

// LimitedRange converts a row of VP8's colours: BT.601 with luma of 16 … 235 and chroma of 16 … 240. The products are cut to
// steps of 2^-6 one by one, since libwebp cuts them, and the result is then the same to the last bit.
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
