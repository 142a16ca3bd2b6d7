package raster

// Patches computes steps 5 and 6 of section 9. It normalises a resized picture, [side][side][3] of
// 0 … 255, and cuts it into squares of patch pixels. dst is [(side/patch)²][3·patch²]: rows of
// patches from the top, each from the left, and within a patch by row, column and channel. The side
// is a multiple of patch; dst and resized hold side·side·3 values and must not overlap.
func Patches(dst, resized []float32, side, patch int, mean, deviation [3]float32) {
	dst, resized = dst[:side*side*3], resized[:side*side*3]
	for top := 0; top < side; top += patch {
		for left := 0; left < side; left += patch {
			for y := top; y < top+patch; y++ {
				row := resized[(y*side+left)*3:][:patch*3]
				out := dst[:patch*3]
				dst = dst[patch*3:]
				for i := 0; i+2 < len(row) && i+2 < len(out); i += 3 {
					out[i] = (row[i]/255 - mean[0]) / deviation[0]
					out[i+1] = (row[i+1]/255 - mean[1]) / deviation[1]
					out[i+2] = (row[i+2]/255 - mean[2]) / deviation[2]
				}
			}
		}
	}
}
