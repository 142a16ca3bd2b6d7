//go:build amd64 || arm64

package kernel

const (
	// mostGathered is how many rows of a table one call of assembly gathers, and mostSigned how
	// many weights it takes: some microseconds, in which the goroutine cannot be preempted.
	mostGathered, mostSigned = 256, 512
	// wide and narrow are the columns that one call of assembly gathers.
	wide, narrow = 96, 32
)

// gatherAssembly sums a piece of each of count rows of dst, of which one begins stride bytes after
// the other. The first takes rows from first on; last is the place of the last row of the list.
// Without heads, the sums begin with dst.
type gatherAssembly func(
	dst *float32, stride int, headBytes *byte, headScales *float32, heads *byte,
	bytes *byte, rowBytes int, scales *float32, rows *uint32, first, last int, ends *int, count int,
)

// gatherInt4Of returns a routine from assembly for a wide and for a narrow piece of a row, and from
// the routine for the columns that do not fill a piece.
func gatherInt4Of(wider, narrower gatherAssembly, add func(dst []float32, x []byte, scale float32)) func(dst []float32, columns int, g *Gather) {
	return func(dst []float32, columns int, g *Gather) {
		first, last := 0, g.Ends[len(g.Ends)-1]-1
		for done := 0; done < len(g.Ends); {
			count := 1
			for done+count < len(g.Ends) && count < mostGathered && g.Ends[done+count]-first <= mostGathered {
				count++
			}
			for column := 0; columns-column >= narrow; {
				piece, assembly := narrow, narrower
				if columns-column >= wide {
					piece, assembly = wide, wider
				}
				assembly(&dst[done*columns+column], 4*columns, at(g.Head.Bytes, column/2), at(g.Head.Scales, 0), at(g.Heads, done),
					at(g.Table.Bytes, column/2), (columns+1)/2, at(g.Table.Scales, 0), at(g.Rows, 0), first, last, &g.Ends[done], count)
				column += piece
			}
			done += count
			first = g.Ends[done-1]
		}
		if rest := columns % narrow; rest != 0 {
			g.by(add, dst, columns, columns-rest)
		}
	}
}

// at returns a pointer to an element, or nil if x is nil.
func at[T any](x []T, i int) *T {
	if x == nil {
		return nil
	}
	return &x[i]
}

// addSignsOf returns a routine from assembly for 64 columns and count hashes.
func addSignsOf(assembly func(dst *float32, hashes *uint64, offset uint64, w *float32, count int)) func(dst []float32, hashes []uint64, w []float32) {
	return func(dst []float32, hashes []uint64, w []float32) {
		for len(w) > 0 {
			count := min(len(w), mostSigned)
			for word := range len(dst) / 64 {
				assembly(&dst[64*word], &hashes[0], signsOffset(word), &w[0], count)
			}
			hashes, w = hashes[count:], w[count:]
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
				n := min(whole-from, mostScalars)
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
