package kernel

// The sums of bags of n-grams: rows of a table, gathered for many positions in one call, the signs
// of many n-grams, and sums over positions.

// AddInt4Rows adds rows of a table of four-bit scalars to the rows of dst, of columns scalars each.
// Row r of dst receives those that rows lists from ends[r−1], or 0, to ends[r], in this order. A row
// of the table has ⌈columns/2⌉ bytes, as in [AddInt4], and a scale of its own.
func AddInt4Rows(dst []float32, columns int, bytes []byte, scales []float32, rows []uint32, ends []int) {
	dst = dst[:len(ends)*columns]
	if len(rows) == 0 || len(dst) == 0 {
		return
	}
	bytes = bytes[:len(scales)*((columns+1)/2)]
	var largest uint32
	for _, row := range rows {
		largest = max(largest, row)
	}
	_ = scales[largest]
	first := 0
	for _, end := range ends {
		_ = rows[first:end]
		first = end
	}
	current().addInt4Rows(dst, columns, bytes, scales, rows, ends)
}

// AddSigns adds w[i] to each column of dst whose bit of row i of z is one, and subtracts it where
// the bit is zero, for one i after the other. A row of z has len(dst)/64 words, and column c is bit
// c mod 64 of word ⌊c/64⌋. The length of dst must be a multiple of 64.
func AddSigns(dst []float32, z []uint64, w []float32) {
	z = z[:len(w)*(len(dst)/64)]
	if len(z) == 0 {
		return
	}
	current().addSigns(dst, z, w)
}

// Accumulate adds rows, which are as long as sum and lie end to end, to sum.
func Accumulate(sum []float64, rows []float32) {
	if len(sum) == 0 || len(rows) == 0 {
		return
	}
	current().accumulate(sum, rows[:len(rows)/len(sum)*len(sum)])
}

func addInt4RowsPortable(dst []float32, columns int, bytes []byte, scales []float32, rows []uint32, ends []int) {
	addInt4RowsBy(addInt4Portable, dst, columns, 0, bytes, scales, rows, ends)
}

// addInt4RowsBy adds one row at a time, without its first columns.
func addInt4RowsBy(
	add func(dst []float32, x []byte, scale float32),
	dst []float32, columns, without int, bytes []byte, scales []float32, rows []uint32, ends []int,
) {
	first, stride := 0, (columns+1)/2
	for r, end := range ends {
		sums := dst[r*columns+without : (r+1)*columns]
		for _, row := range rows[first:end] {
			add(sums, bytes[int(row)*stride+without/2:(int(row)+1)*stride], scales[row])
		}
		first = end
	}
}

func addSignsPortable(dst []float32, z []uint64, w []float32) {
	for _, weight := range w {
		// A table instead of a branch, which random bits would mispredict half the time.
		signed := [2]float32{-weight, weight}
		for word, bits := range z[:len(dst)/64] {
			sums := (*[64]float32)(dst[64*word:])
			for c := 0; c < len(sums); c += 4 {
				four := (*[4]float32)(sums[c:])
				four[0] += signed[bits&1]
				four[1] += signed[bits>>1&1]
				four[2] += signed[bits>>2&1]
				four[3] += signed[bits>>3&1]
				bits >>= 4
			}
		}
		z = z[len(dst)/64:]
	}
}

func accumulatePortable(sum []float64, rows []float32) {
	for ; len(rows) > 0; rows = rows[len(sum):] {
		for i, v := range rows[:len(sum)] {
			sum[i] += float64(v)
		}
	}
}
