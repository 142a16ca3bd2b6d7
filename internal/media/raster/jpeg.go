package raster

import (
	"sync"

	"github.com/unum-cloud/uform-go/internal/media/jpeg"
)

// decoders keep their working memory for the next picture.
var decoders = sync.Pool{New: func() any { return new(jpeg.Decoder) }}

func decodeJPEG(data []byte, pixels int) (*Image, error) {
	file, err := jpeg.Parse(data)
	if err != nil {
		return nil, err
	}
	if err := checkSize(JPEG, file.Width, file.Height, pixels); err != nil {
		return nil, err
	}
	im := newImage(file.Width, file.Height)
	decoder := decoders.Get().(*jpeg.Decoder)
	err = decoder.Decode(im.RGB, file)
	decoders.Put(decoder)
	if err != nil {
		return nil, err
	}
	return turn(im, firstOrientation(file)), nil
}

// firstOrientation returns the orientation of the first segment that has one, zero if there is
// none.
func firstOrientation(file *jpeg.File) int {
	for _, body := range file.EXIF {
		if orientation := exifOrientation(body); orientation != 0 {
			return orientation
		}
	}
	return 0
}
