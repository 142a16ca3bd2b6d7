package jpeg

import "github.com/unum-cloud/uform-go/internal/media/chroma"

// stored reports that the three components are red, green and blue without a colour transform.
func (f *File) stored() bool {
	switch c := f.frame.components; {
	case f.jfif:
		return false
	case f.adobe:
		return f.transform == 0
	default:
		return c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B'
	}
}

// light converts a row of four inks to RGB: cyan, magenta, yellow and black. The first three may be
// stored as luma and chroma. Adobe's files store light instead of ink, and mark it; others store
// ink.
func (f *File) light(rgb []byte, rows *[4][]byte) {
	first, second, third, black := rows[0], rows[1], rows[2], rows[3]
	transformed := f.adobe && f.transform != 0
	if transformed {
		chroma.FullRange(rgb, first, second, third) // the complements of what is stored
	} else {
		interleave(rgb, first, second, third)
	}
	for x := range first {
		pixel, k := rgb[3*x:][:3], int(black[x])
		if !f.adobe {
			k = 255 - k
		}
		for i := range pixel {
			v := int(pixel[i])
			if transformed || !f.adobe {
				v = 255 - v
			}
			pixel[i] = byte((v*k + 127) / 255)
		}
	}
}
