package chroma

import "encoding/binary"

// Rounding is what is added before a division, to samples in even and in odd places. It alternates
// in libjpeg, so that errors do not add up.
type Rounding struct {
	quarterEven, quarterOdd     uint64
	sixteenthEven, sixteenthOdd uint64
}

// The roundings of libjpeg and of libwebp.
var (
	JPEG = Rounding{1, 2, 8, 7}
	WebP = Rounding{2, 2, 8, 8}
)

// Rows returns the two rows of samples that row y of the picture is interpolated from: the nearest,
// and for a down of 2 the next one. Each sample covers down rows of pixels, and there are rows of
// them.
func Rows(y, down, rows int) (near, far int) {
	near = y / down
	if down != 2 {
		return near, near
	}
	return near, min(max(near-1+y%2*2, 0), rows-1)
}

// Upsample fills dst with row y of a channel whose samples each cover across × down pixels, one
// sample per pixel. dst holds at least len(near) · across values. near and far are the rows that
// [Rows] returns.
//
// A sample between pixels is interpolated from its neighbours, three parts near to one part far on
// each axis, as in libjpeg and libwebp. Repeating the nearest sample, as package image does, shifts
// colours by half a pixel. If a sample covers more than two pixels on either axis, samples are
// repeated on both.
func (r Rounding) Upsample(dst, near, far []byte, across, down, y int) {
	switch {
	case len(near) == 0:
	case across == 1 && down == 1:
		copy(dst, near)
	case across == 1 && down == 2:
		bias := r.quarterEven
		if y%2 == 1 {
			bias = r.quarterOdd
		}
		upsampleRows(dst, near, far, bias)
	case across == 2 && down == 1:
		upsampleColumns(dst, near, r.quarterEven, r.quarterOdd)
	case across == 2 && down == 2:
		upsampleBoth(dst, near, far, r.sixteenthEven, r.sixteenthOdd)
	default:
		repeat(dst, near, across)
	}
}

// Four samples are processed at once, in the 16-bit lanes of a word: no sum exceeds its lane.
const (
	ones  = 0x0001_0001_0001_0001
	bytes = 0x00FF_00FF_00FF_00FF
)

// lanes returns four samples, the first in the lowest lane.
func lanes(samples []byte) uint64 {
	v := uint64(binary.LittleEndian.Uint32(samples))
	v = (v | v<<16) & 0x0000_FFFF_0000_FFFF
	return (v | v<<8) & bytes
}

func upsampleRows(dst, near, far []byte, bias uint64) {
	dst, far = dst[:len(near)], far[:len(near)]
	i := 0
	for ; i+4 <= len(near); i += 4 {
		v := (3*lanes(near[i:]) + lanes(far[i:]) + bias*ones) >> 2 & bytes
		v = (v | v>>8) & 0x0000_FFFF_0000_FFFF
		binary.LittleEndian.PutUint32(dst[i:], uint32(v|v>>16))
	}
	for ; i < len(near); i++ {
		dst[i] = byte((3*uint64(near[i]) + uint64(far[i]) + bias) >> 2)
	}
}

func upsampleColumns(dst, near []byte, even, odd uint64) {
	dst = dst[:2*len(near)]
	last := uint64(near[0])
	i := 0
	for ; i+4 < len(near); i += 4 {
		here := lanes(near[i:])
		before, after := here<<16|last, here>>16|uint64(near[i+4])<<48
		evens := (3*here + before + even*ones) >> 2 & bytes
		odds := (3*here + after + odd*ones) >> 2 & bytes
		binary.LittleEndian.PutUint64(dst[2*i:], evens|odds<<8)
		last = here >> 48
	}
	for ; i < len(near); i++ {
		here, next := uint64(near[i]), uint64(near[min(i+1, len(near)-1)])
		dst[2*i] = byte((3*here + last + even) >> 2)
		dst[2*i+1] = byte((3*here + next + odd) >> 2)
		last = here
	}
}

func upsampleBoth(dst, near, far []byte, even, odd uint64) {
	dst, far = dst[:2*len(near)], far[:len(near)]
	sum := func(i int) uint64 { return 3*uint64(near[i]) + uint64(far[i]) }
	last := sum(0)
	i := 0
	for ; i+4 < len(near); i += 4 {
		here := 3*lanes(near[i:]) + lanes(far[i:])
		before, after := here<<16|last, here>>16|sum(i+4)<<48
		evens := (3*here + before + even*ones) >> 4 & bytes
		odds := (3*here + after + odd*ones) >> 4 & bytes
		binary.LittleEndian.PutUint64(dst[2*i:], evens|odds<<8)
		last = here >> 48
	}
	for ; i < len(near); i++ {
		here, next := sum(i), sum(min(i+1, len(near)-1))
		dst[2*i] = byte((3*here + last + even) >> 4)
		dst[2*i+1] = byte((3*here + next + odd) >> 4)
		last = here
	}
}

func repeat(dst, near []byte, across int) {
	dst = dst[:len(near)*across]
	for _, v := range near {
		for i := range across {
			dst[i] = v
		}
		dst = dst[across:]
	}
}
