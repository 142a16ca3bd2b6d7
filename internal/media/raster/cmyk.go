package raster

import (
	"bytes"
	"image"
	"image/jpeg"
	"slices"
)

// adobeSegment is Adobe's marker of a file whose components are stored as they are.
const adobeSegment = "\xFF\xEE\x00\x0EAdobe\x00\x64\x00\x00\x00\x00\x00"

// decodeInks decodes a JPEG of four components, cyan, magenta, yellow and black, or the first three as YCbCr. The standard
// library is asked for the components as they are stored, by an altered marker: so chroma is interpolated here, and a file
// without Adobe's marker, which it refuses, decodes.
func (f *jpegFile) decodeInks(data []byte) (*Image, error) {
	adobe, transformed := f.transform != 0, false
	if adobe {
		transformed = data[f.transform] != 0
		data = slices.Clone(data)
		data[f.transform] = 0
	} else {
		data = slices.Insert(slices.Clone(data), 2, []byte(adobeSegment)...)
	}
	source, err := decodeWith(JPEG, jpeg.Decode, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	inks, four := source.(*image.CMYK)
	if !four {
		return nil, malformed("the JPEG does not decode: four components came out as %T", source)
	}
	return f.light(inks, adobe, transformed), nil
}

// light is what four inks let through. Adobe's files store light, not ink, and mark it; others store ink.
func (f *jpegFile) light(inks *image.CMYK, adobe, transformed bool) *Image {
	im := newImage(f.width, f.height)
	planes := [4]plane{}
	for i := range planes {
		planes[i] = f.stored(inks, i)
	}
	wide := f.width + f.width%2
	var rows [4][]byte
	for i := range rows {
		rows[i] = make([]byte, wide)
	}
	for y := range f.height {
		for i := range planes {
			planes[i].row(rows[i], y, jpegRounding)
		}
		rgb := im.RGB[y*f.width*3:][:f.width*3]
		first, second, third, black := rows[0][:f.width], rows[1], rows[2], rows[3]
		if transformed {
			fullRange(rgb, first, second, third) // the complements of what is stored
		}
		for x := range first {
			stored := [3]byte{first[x], second[x], third[x]}
			for i := range stored {
				v, k := int(stored[i]), int(black[x])
				if transformed {
					v = 255 - int(rgb[3*x+i])
				}
				if !adobe {
					v, k = 255-v, 255-k
				}
				rgb[3*x+i] = byte((v*k + 127) / 255)
			}
		}
	}
	return im
}

// stored is component i as the file stores it. The decoder has repeated its samples, where it has fewer, and inverted them.
func (f *jpegFile) stored(inks *image.CMYK, i int) plane {
	across := int(f.components[0].across / f.components[i].across)
	p := plane{columns: (f.width + across - 1) / across, rows: (f.height + across - 1) / across, across: across, down: across}
	p.stride = p.columns
	p.samples = make([]byte, p.stride*p.rows)
	for y := range p.rows {
		row := inks.Pix[y*across*inks.Stride:]
		for x := range p.columns {
			p.samples[y*p.stride+x] = 255 - row[x*across*4+i]
		}
	}
	return p
}
