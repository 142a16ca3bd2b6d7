package raster

// turn returns the picture turned by its EXIF orientation, 1 to 8. Every other number is treated as
// 1, which returns im itself.
func turn(im *Image, orientation int) *Image {
	if orientation <= plainOrientation || orientation > lastOrientation {
		return im
	}
	turned := newImage(im.Width, im.Height)
	if orientation >= 5 {
		turned = newImage(im.Height, im.Width)
	}
	start, right, down := course(im, orientation)
	at := 0
	for y := range turned.Height {
		from := start + y*down
		for range turned.Width {
			pixel := im.RGB[from : from+3 : from+3]
			turned.RGB[at], turned.RGB[at+1], turned.RGB[at+2] = pixel[0], pixel[1], pixel[2]
			at, from = at+3, from+right
		}
	}
	return turned
}

// course returns the offset in im of the upper left pixel of the turned picture, and the steps to
// the pixel on its right and to the one below, in bytes.
func course(im *Image, orientation int) (start, right, down int) {
	const pixel = 3
	row := im.Width * pixel
	lastColumn, lastRow := row-pixel, (im.Height-1)*row
	switch orientation {
	case 2: // mirrored
		return lastColumn, -pixel, row
	case 3: // upside down
		return lastColumn + lastRow, -pixel, -row
	case 4: // upside down and mirrored
		return lastRow, pixel, -row
	case 5: // rows are columns
		return 0, row, pixel
	case 6: // to be turned a quarter to the right
		return lastRow, -row, pixel
	case 7: // rows are columns, from the lower right
		return lastColumn + lastRow, -row, -pixel
	case 8: // to be turned a quarter to the left
		return lastColumn, row, -pixel
	}
	return 0, pixel, row
}

func newImage(width, height int) *Image {
	return &Image{Width: width, Height: height, RGB: make([]byte, width*height*3)}
}
