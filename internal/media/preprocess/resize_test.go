package preprocess_test

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/preprocess"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// picture draws what testdata/pillow.py draws.
func picture(width, height int) *raster.Image {
	im := &raster.Image{Width: width, Height: height, RGB: make([]byte, width*height*3)}
	for i := range im.RGB {
		n := uint32(i)*2654435761 + 12345
		n ^= n >> 15
		n *= 2246822519
		im.RGB[i] = byte(n >> 13)
		if x := i / 3 % width; x*2 < width {
			im.RGB[i] |= byte(x * 255 / width)
		}
	}
	return im
}

// TestResizeIsPillows compares every filter, byte by byte, for sizes that grow, shrink, do both,
// and stay.
func TestResizeIsPillows(t *testing.T) {
	file, err := os.Open("testdata/pillow.golden")
	require.NoError(t, err)
	defer file.Close()
	pictures := map[[2]int]*raster.Image{}
	var r preprocess.Resizer
	lines := bufio.NewScanner(file)
	count := 0
	for ; lines.Scan(); count++ {
		var width, height, columns, rows int
		var filter preprocess.Filter
		var sum uint32
		_, err := fmt.Sscan(lines.Text(), &width, &height, &columns, &rows, &filter, &sum)
		require.NoError(t, err)
		if pictures[[2]int{width, height}] == nil {
			pictures[[2]int{width, height}] = picture(width, height)
		}
		im := pictures[[2]int{width, height}]
		dst := make([]byte, columns*rows*3)
		r.Resize(dst, im, preprocess.Area{Width: columns, Height: rows, Columns: columns, Rows: rows}, filter)
		require.Equal(t, sum, crc32.ChecksumIEEE(dst), lines.Text())
		// Parts are the same as in the whole.
		if columns > 6 && rows > 6 {
			part := make([]byte, (columns-5)*(rows-4)*3)
			r.Resize(part, im, preprocess.Area{Width: columns, Height: rows, Left: 3, Top: 2, Columns: columns - 5, Rows: rows - 4}, filter)
			for y := range rows - 4 {
				require.Equal(t, dst[((y+2)*columns+3)*3:][:(columns-5)*3], part[y*(columns-5)*3:][:(columns-5)*3], lines.Text())
			}
		}
	}
	require.NoError(t, lines.Err())
	require.Equal(t, 13*11*preprocess.Filters, count)
}
