package chroma

import "github.com/unum-cloud/uform-go/internal/kernel"

// Rounding is what is added before a division, to samples in even and in odd places. It alternates
// in libjpeg, so that errors do not add up.
type Rounding struct {
	quarterEven, quarterOdd     int
	sixteenthEven, sixteenthOdd int
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
		kernel.UpsampleRows(dst, near, far, bias)
	case across == 2 && down == 1:
		kernel.UpsampleColumns(dst, near, r.quarterEven, r.quarterOdd)
	case across == 2 && down == 2:
		kernel.UpsampleBoth(dst, near, far, r.sixteenthEven, r.sixteenthOdd)
	default:
		repeat(dst, near, across)
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
