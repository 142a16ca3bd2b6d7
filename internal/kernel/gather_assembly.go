//go:build amd64 || arm64

package kernel

const (
	// mostGathered is how many rows of a table one call of assembly gathers, and mostSigned how
	// many weights it takes: some microseconds, in which the goroutine cannot be preempted.
	mostGathered, mostSigned = 256, 512
	// wide and narrow are the columns that one call of assembly gathers.
	wide, narrow = 96, 32
)

// gatherAssembly adds rows of a table to a piece of each of count rows of dst, of which one begins
// stride bytes after the other. The first takes rows from first on; last is the place of the last
// row of the list.
type gatherAssembly func(dst *float32, stride int, bytes *byte, rowBytes int, scales *float32, rows *uint32, first, last int, ends *int, count int)

// addInt4RowsOf returns a routine from assembly for a wide and for a narrow piece of a row, and from
// the routine for the columns that do not fill a piece.
func addInt4RowsOf(
	wider, narrower gatherAssembly, add func(dst []float32, x []byte, scale float32),
) func(dst []float32, columns int, bytes []byte, scales []float32, rows []uint32, ends []int) {
	return func(dst []float32, columns int, bytes []byte, scales []float32, rows []uint32, ends []int) {
		stride, first := (columns+1)/2, 0
		for done := 0; done < len(ends); {
			count := 1
			for done+count < len(ends) && count < mostGathered && ends[done+count]-first <= mostGathered {
				count++
			}
			column := 0
			for columns-column >= narrow {
				piece, assembly := narrow, narrower
				if columns-column >= wide {
					piece, assembly = wide, wider
				}
				assembly(&dst[done*columns+column], 4*columns, &bytes[column/2], stride, &scales[0], &rows[0],
					first, len(rows)-1, &ends[done], count)
				column += piece
			}
			done += count
			first = ends[done-1]
		}
		if rest := columns % narrow; rest != 0 {
			addInt4RowsBy(add, dst, columns, columns-rest, bytes, scales, rows, ends)
		}
	}
}

// addSignsOf returns a routine from assembly for 64 columns and count weights. One row of z begins
// stride bytes after the other.
func addSignsOf(assembly func(dst *float32, z *uint64, stride int, w *float32, count int)) func(dst []float32, z []uint64, w []float32) {
	return func(dst []float32, z []uint64, w []float32) {
		words := len(dst) / 64
		for len(w) > 0 {
			count := min(len(w), mostSigned)
			for word := range words {
				assembly(&dst[64*word], &z[word], 8*words, &w[0], count)
			}
			z, w = z[count*words:], w[count:]
		}
	}
}

// accumulateOf returns a routine from assembly for n scalars, a multiple of 16, of count rows. One
// row begins stride bytes after the other.
func accumulateOf(assembly func(sum *float64, rows *float32, stride, count, n int)) func(sum []float64, rows []float32) {
	return func(sum []float64, rows []float32) {
		columns := len(sum)
		whole := columns &^ 15
		for len(rows) > 0 {
			count := max(1, min(len(rows), mostScalars)/columns)
			for from := 0; from < whole; {
				n := span(whole-from, 16)
				assembly(&sum[from], &rows[from], 4*columns, count, n)
				from += n
			}
			for r := range count {
				for i := whole; i < columns; i++ {
					sum[i] += float64(rows[r*columns+i])
				}
			}
			rows = rows[count*columns:]
		}
	}
}
