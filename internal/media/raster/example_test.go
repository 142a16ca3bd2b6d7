package raster_test

import (
	"fmt"
	"image"
	"image/color"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// An image becomes RGB, then a square of floats, then patches.
func Example() {
	source := image.NewRGBA(image.Rect(0, 0, 3, 2))
	for i := range 6 {
		source.Set(i%3, i/3, color.RGBA{R: 255, A: 255})
	}
	picture := raster.FromImage(source, [3]uint8{255, 255, 255})
	square := raster.Resize(picture, 8)
	fmt.Println(picture.Width, picture.Height, picture.RGB[:3])
	fmt.Println(len(square), square[0], square[1])
	// Output:
	// 3 2 [255 0 0]
	// 192 255 0
}
