package model

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// table is a matrix or vector as the file stores it. Rows are widened one at a time, when they are
// used, so that a large table is never copied. Exactly one of floats, halves and bytes is set.
type table struct {
	dtype   DType
	columns int
	floats  []float32 // F32
	halves  []uint16  // BF16
	bytes   []byte    // I8 and U8
	scales  []float32 // of I8 and U8, one for each row
}

// stride returns the number of bytes of a row of bytes.
func (t *table) stride() int {
	if t.dtype == U8 {
		return (t.columns + 1) / 2
	}
	return t.columns
}

func (t *table) rowBytes(row int) []byte {
	stride := t.stride()
	return t.bytes[row*stride:][:stride]
}

// add adds a row to dst.
func (t *table) add(dst []float32, row int) {
	switch t.dtype {
	case F32:
		kernel.Add(dst, t.floats[row*t.columns:][:t.columns])
	case BF16:
		kernel.AddBF16(dst, t.halves[row*t.columns:][:t.columns])
	case I8:
		kernel.AddInt8(dst, t.rowBytes(row), t.scales[row])
	case U8:
		kernel.AddInt4(dst, t.rowBytes(row), t.scales[row])
	}
}

// int4 returns a table of U8 for gathering.
func (t *table) int4() kernel.Int4 { return kernel.Int4{Bytes: t.bytes, Scales: t.scales} }

// sumRows writes to dst a row for each byte of heads: its row of head, and those of t that rows
// lists from ends[r-1], or 0, to ends[r], in this order. g is working memory.
func (t *table) sumRows(g *kernel.Gather, dst []float32, head *table, heads []byte, rows []uint32, ends []int) {
	columns := head.columns
	*g = kernel.Gather{Table: t.int4(), Rows: rows, Ends: ends}
	if head.dtype == U8 && (t.dtype == U8 || len(rows) == 0) {
		g.Head, g.Heads = head.int4(), heads
		kernel.GatherInt4(dst, columns, g)
		return
	}
	for r, b := range heads {
		head.read(dst[r*columns:(r+1)*columns], int(b))
	}
	if t.dtype == U8 {
		kernel.GatherInt4(dst, columns, g)
		return
	}
	first := 0
	for r, end := range ends {
		for _, row := range rows[first:end] {
			t.add(dst[r*columns:(r+1)*columns], int(row))
		}
		first = end
	}
}

// read writes a row to dst.
func (t *table) read(dst []float32, row int) {
	switch t.dtype {
	case F32:
		copy(dst, t.floats[row*t.columns:][:t.columns])
	case BF16:
		kernel.FromBF16(dst, t.halves[row*t.columns:][:t.columns])
	default:
		clear(dst)
		t.add(dst, row)
	}
}

// at returns an element of a vector.
func (t *table) at(index int) float32 {
	if t.dtype == BF16 {
		return kernel.WidenBF16(t.halves[index])
	}
	return t.floats[index]
}

// lookUp writes the elements of a vector in the rows of hashes to dst, which is as long.
func (t *table) lookUp(dst []float32, hashes []uint64, rows buckets) {
	dst = dst[:len(hashes)]
	if t.dtype == BF16 {
		for i, h := range hashes {
			dst[i] = kernel.WidenBF16(t.halves[hash(h).bucket(rows)])
		}
		return
	}
	for i, h := range hashes {
		dst[i] = t.floats[hash(h).bucket(rows)]
	}
}

// size returns the bytes of weights and scales.
func (t *table) size() int {
	return 4*len(t.floats) + 2*len(t.halves) + len(t.bytes) + 4*len(t.scales)
}

// finite reports whether no element of a row is a NaN or an infinity.
func (t *table) finite(row int) bool {
	const exponent = 0x7F800000
	switch t.dtype {
	case F32:
		for _, v := range t.floats[row*t.columns:][:t.columns] {
			if math.Float32bits(v)&exponent == exponent {
				return false
			}
		}
	case BF16:
		for _, v := range t.halves[row*t.columns:][:t.columns] {
			if v&(exponent>>16) == exponent>>16 {
				return false
			}
		}
	default:
		return finiteProducts(t, row)
	}
	return true
}

// finiteProducts is finite for a row with a scale. Only a scale close to the largest float can make
// an element infinite.
func finiteProducts(t *table, row int) bool {
	scale := t.scales[row]
	if math.Abs(float64(scale)) <= math.MaxFloat32/128 {
		return true
	}
	if !isFinite(scale) {
		return false
	}
	for i, q := range t.rowBytes(row) {
		if t.dtype == I8 {
			if !isFinite(float32(int8(q)) * scale) {
				return false
			}
			continue
		}
		last := 2*i+1 == t.columns
		if !isFinite(float32(int(q&15)-8)*scale) || !last && !isFinite(float32(int(q>>4)-8)*scale) {
			return false
		}
	}
	return true
}

func isFinite(v float32) bool { return math.Float32bits(v)&0x7F800000 != 0x7F800000 }
