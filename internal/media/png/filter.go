package png

import "github.com/unum-cloud/uform-go/internal/kernel"

// unfilter undoes the filters of rows, of which each has its filter before it, and moves them
// together. It reports whether all filters are known.
func unfilter(rows []byte, stride, height, channels int) bool {
	width := stride - 1
	above := make([]byte, width)
	for y := range height {
		kind, row := rows[y*stride], rows[y*stride+1:][:width]
		switch kind {
		case 0:
		case 1:
			before(row, channels)
		case 2:
			kernel.AddBytes(row, above)
		case 3:
			average(row, above, channels)
		case 4:
			kernel.Paeth(row, above, channels)
		default:
			return false
		}
		above = rows[y*width:][:width]
		copy(above, row)
	}
	return true
}

// before adds to each byte that of the pixel before.
func before(row []byte, channels int) {
	switch channels {
	case 3:
		var red, green, blue byte
		for ; len(row) >= 3; row = row[3:] {
			pixel := row[:3:3]
			red, green, blue = red+pixel[0], green+pixel[1], blue+pixel[2]
			pixel[0], pixel[1], pixel[2] = red, green, blue
		}
	default:
		for i := channels; i < len(row); i++ {
			row[i] += row[i-channels]
		}
	}
}

// average adds to each byte the mean of the pixel before and the one above.
func average(row, above []byte, channels int) {
	above = above[:len(row)]
	for i := range min(channels, len(row)) {
		row[i] += above[i] / 2
	}
	switch channels {
	case 3:
		if len(row) < 3 {
			return
		}
		red, green, blue := int(row[0]), int(row[1]), int(row[2])
		for row, above = row[3:], above[3:]; len(row) >= 3 && len(above) >= 3; row, above = row[3:], above[3:] {
			pixel, up := row[:3:3], above[:3:3]
			red = int(pixel[0] + byte((red+int(up[0]))/2))
			green = int(pixel[1] + byte((green+int(up[1]))/2))
			blue = int(pixel[2] + byte((blue+int(up[2]))/2))
			pixel[0], pixel[1], pixel[2] = byte(red), byte(green), byte(blue)
		}
	default:
		for i := channels; i < len(row); i++ {
			row[i] += byte((int(row[i-channels]) + int(above[i])) / 2)
		}
	}
}
