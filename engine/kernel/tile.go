//go:build amd64 || arm64

package kernel

// tile is room for the results of some rows of a panel that has fewer than sixteen columns.
type tile = [tileRows * panelWidth]float32

const scalar = 4 // bytes of a float32

// tileOf points to the first of count rows of width scalars, and panics if the first or the last is not within v.
func tileOf(v []float32, row, count, stride, width int) *float32 {
	_ = v[(row+count-1)*stride:][:width]
	return &v[row*stride:][:width][0]
}

func storeTile(dst []float32, stride int, sums *tile, rows, columns int, accumulate bool) {
	for r := range rows {
		store(dst[r*stride:][:columns], sums[r*panelWidth:][:columns], accumulate)
	}
}
