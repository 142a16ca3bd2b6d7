package main

import (
	"image"

	"github.com/unum-cloud/uform-go/examples/internal/nearest"
	"github.com/unum-cloud/uform-go/internal/media/raster"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/senses"
)

var medium = &nearest.Medium{
	Name: "images", Plural: "images", Samples: gallery,
	Does:   "Images finds the images that look most like one of them.",
	Encode: uform.On.ImageEncode, Texts: senses.Load, Look: look, Columns: 4, Width: 220, Height: 165,
}

func main() { nearest.Main(medium) }

// look decodes an image as the engine does: turned by its orientation, and on white where it is
// transparent.
func look(content []byte) (image.Image, error) {
	decoded, err := raster.Decode(content, nil, [3]uint8{255, 255, 255})
	if err != nil {
		return nil, err
	}
	picture := image.NewRGBA(image.Rect(0, 0, decoded.Width, decoded.Height))
	for i := range decoded.Width * decoded.Height {
		copy(picture.Pix[4*i:], decoded.RGB[3*i:3*i+3])
		picture.Pix[4*i+3] = 255
	}
	return picture, nil
}
