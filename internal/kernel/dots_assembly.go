//go:build amd64 || arm64

package kernel

// dotsOfBlocks returns a routine over rows of scalars of width bytes from one of assembly, which
// takes four rows or a multiple of that, and columns in multiples of lanes. The other columns are
// left to rest.
func dotsOfBlocks(width, lanes int,
	block func(dst *float32, rows *byte, query *float32, n, stride, count int),
	rest func(dst []float32, rows []byte, query []float32),
) func(dst []float32, rows []byte, query []float32) {
	return func(dst []float32, rows []byte, query []float32) {
		stride, n := width*len(query), len(query)&^(lanes-1)
		if n == 0 {
			rest(dst, rows, query)
			return
		}
		most := max(mostScalars/n, 4) &^ 3
		done := 0
		for len(dst)-done >= 4 {
			count := min(len(dst)-done, most) &^ 3
			block(&dst[done], &rows[done*stride], &query[0], n, stride, count)
			done += count
		}
		for ; done < len(dst); done++ {
			var four [4]float32 // the same row four times
			block(&four[0], &rows[done*stride], &query[0], n, 0, 4)
			dst[done] = four[0]
		}
		if n == len(query) {
			return
		}
		for i := range dst {
			var sum [1]float32
			rest(sum[:], rows[i*stride+width*n:(i+1)*stride], query[n:])
			dst[i] += sum[0]
		}
	}
}
