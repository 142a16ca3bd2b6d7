package chroma

// Rounding is what is added before a division, to samples in even and in odd places. It alternates in libjpeg, so that errors do
// not add up.
type Rounding struct {
	quarterEven, quarterOdd     int
	sixteenthEven, sixteenthOdd int
}

// The roundings of libjpeg and of libwebp.
var (
	JPEG = Rounding{1, 2, 8, 7}
	WebP = Rounding{2, 2, 8, 8}
)

// Rows are the rows of samples that make row y of the picture, where each sample lies under down rows of pixels and there
// are rows of them: the nearest, and for a down of 2 the next one.
func Rows(y, down, rows int) (near, far int) {
	near = y / down
	if down != 2 {
		return near, near
	}
	return near, min(max(near-1+y%2*2, 0), rows-1)
}

// Upsample is row y of a channel whose samples lie under across × down pixels each, one sample a pixel, in dst, which has room
// for len(near) · across. near and far are the rows that [Rows] names.
//
// A sample that lies between pixels is interpolated from its neighbours, three parts near to one part far on each axis, as
// libjpeg and libwebp do. Repeating the nearest, as package image does, puts colours half a pixel off. Beyond a half on
// either axis samples are repeated on both.
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
		upsampleRows(dst, near, far, uint32(bias))
	case across == 2 && down == 1:
		upsampleColumns(dst, near, uint32(r.quarterEven), uint32(r.quarterOdd))
	case across == 2 && down == 2:
		upsampleBoth(dst, near, far, uint32(r.sixteenthEven), uint32(r.sixteenthOdd))
	default:
		repeat(dst, near, across)
	}
}

func upsampleRows(dst, near, far []byte, bias uint32) {
	dst, far = dst[:len(near)], far[:len(near)]
	for i, v := range near {
		dst[i] = byte((3*uint32(v) + uint32(far[i]) + bias) >> 2)
	}
}

func upsampleColumns(dst, near []byte, even, odd uint32) {
	last, here := uint32(near[0]), uint32(near[0])
	dst = dst[:2*len(near)]
	for _, v := range near[1:] {
		next := uint32(v)
		dst[0] = byte((3*here + last + even) >> 2)
		dst[1] = byte((3*here + next + odd) >> 2)
		dst = dst[2:]
		last, here = here, next
	}
	dst[0] = byte((3*here + last + even) >> 2)
	dst[1] = byte((4*here + odd) >> 2)
}

func upsampleBoth(dst, near, far []byte, even, odd uint32) {
	far = far[:len(near)]
	here := 3*uint32(near[0]) + uint32(far[0])
	last := here
	dst, far = dst[:2*len(near)], far[1:]
	for i, v := range near[1:] {
		next := 3*uint32(v) + uint32(far[i])
		dst[0] = byte((3*here + last + even) >> 4)
		dst[1] = byte((3*here + next + odd) >> 4)
		dst = dst[2:]
		last, here = here, next
	}
	dst[0] = byte((3*here + last + even) >> 4)
	dst[1] = byte((4*here + odd) >> 4)
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
