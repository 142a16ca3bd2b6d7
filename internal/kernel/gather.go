package kernel

// The sums of bags of n-grams: rows of a table, gathered for many positions in one call, the signs
// of many n-grams, and sums over positions.

// Int4 is a table of rows of four-bit scalars, as [AddInt4] takes them: each has ⌈columns/2⌉ bytes
// and a scale.
type Int4 struct {
	Bytes  []byte
	Scales []float32
}

// Gather is what [GatherInt4] sums: rows of Table, as many lists of them as Ends has elements. List
// r is Rows from Ends[r−1], or 0, to Ends[r]. With Heads, row Heads[r] of Head is before the list.
type Gather struct {
	Head  Int4
	Heads []byte
	Table Int4
	Rows  []uint32
	Ends  []int
}

// GatherInt4 sums rows of columns scalars, those of each list in its order, to the rows of dst.
// Sums begin with zero if g has heads, else with dst.
func GatherInt4(dst []float32, columns int, g *Gather) {
	dst = dst[:len(g.Ends)*columns]
	if len(dst) == 0 {
		return
	}
	g.check(columns)
	current().gatherInt4(dst, columns, g)
}

// check panics if a row is not in its table.
func (g *Gather) check(columns int) {
	stride := (columns + 1) / 2
	if g.Heads != nil {
		_ = g.Heads[:len(g.Ends)]
		_ = g.Head.Scales[:1<<8]
		_ = g.Head.Bytes[:stride<<8]
	}
	first := 0
	for _, end := range g.Ends {
		_ = g.Rows[first:end]
		first = end
	}
	if first > 0 {
		var largest uint32
		for _, row := range g.Rows[:first] {
			largest = max(largest, row)
		}
		_ = g.Table.Scales[largest]
		_ = g.Table.Bytes[:(int(largest)+1)*stride]
	}
}

// AddSigns adds w[i] to each column of dst whose sign, of those of hashes[i], is one, and subtracts
// it where the sign is zero, for one hash after the other. Column c has bit c mod 64 of [Signs] of
// word ⌊c/64⌋. The length of dst must be a multiple of 64.
func AddSigns(dst []float32, hashes []uint64, w []float32) {
	hashes = hashes[:len(w)]
	if len(w) == 0 || len(dst) == 0 {
		return
	}
	current().addSigns(dst, hashes, w)
}

// Signs returns 64 signs of a hash, a bit for each: those of a word of them, counted from 0.
func Signs(hash uint64, word int) uint64 {
	z := hash + signsOffset(word)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func signsOffset(word int) uint64 { return (uint64(word) + 1) * 0x9E3779B97F4A7C15 }

// Accumulate adds rows, which are as long as sum and lie end to end, to sum.
func Accumulate(sum []float64, rows []float32) {
	if len(sum) == 0 || len(rows) == 0 {
		return
	}
	current().accumulate(sum, rows[:len(rows)/len(sum)*len(sum)])
}

func gatherInt4Portable(dst []float32, columns int, g *Gather) {
	g.by(addInt4Portable, dst, columns, 0)
}

// by sums one row at a time, without its first columns.
func (g *Gather) by(add func(dst []float32, x []byte, scale float32), dst []float32, columns, without int) {
	first, stride := 0, (columns+1)/2
	for r, end := range g.Ends {
		sums := dst[r*columns+without : (r+1)*columns]
		if g.Heads != nil {
			clear(sums)
			head := int(g.Heads[r])
			add(sums, g.Head.Bytes[head*stride+without/2:(head+1)*stride], g.Head.Scales[head])
		}
		for _, row := range g.Rows[first:end] {
			add(sums, g.Table.Bytes[int(row)*stride+without/2:(int(row)+1)*stride], g.Table.Scales[row])
		}
		first = end
	}
}

func addSignsPortable(dst []float32, hashes []uint64, w []float32) {
	for i, weight := range w {
		// A table instead of a branch, which random bits would mispredict half the time.
		signed := [2]float32{-weight, weight}
		for word := range len(dst) / 64 {
			bits, sums := Signs(hashes[i], word), (*[64]float32)(dst[64*word:])
			for c := 0; c < len(sums); c += 4 {
				four := (*[4]float32)(sums[c:])
				four[0] += signed[bits&1]
				four[1] += signed[bits>>1&1]
				four[2] += signed[bits>>2&1]
				four[3] += signed[bits>>3&1]
				bits >>= 4
			}
		}
	}
}

func accumulatePortable(sum []float64, rows []float32) {
	for ; len(rows) > 0; rows = rows[len(sum):] {
		for i, v := range rows[:len(sum)] {
			sum[i] += float64(v)
		}
	}
}
