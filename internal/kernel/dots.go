package kernel

import (
	"encoding/binary"
	"math"
)

// A search reads rows as they lie in a file, so rows are little-endian bytes here, end to end. Each
// row has as many columns as the query. The product with a row has the same bits wherever the row
// lies among others.

// DotsF32 writes the product of the query with each row of f32 to dst.
func DotsF32(dst []float32, rows []byte, query []float32) {
	current().dotsF32(dst, rows[:4*len(dst)*len(query)], query)
}

// DotsF16 writes the product of the query with each row of f16 to dst. The scalars must be finite.
func DotsF16(dst []float32, rows []byte, query []float32) {
	current().dotsF16(dst, rows[:2*len(dst)*len(query)], query)
}

// DotsI8 writes the product of the query with each row of signed bytes to dst.
func DotsI8(dst []float32, rows []byte, query []float32) {
	current().dotsI8(dst, rows[:len(dst)*len(query)], query)
}

// The portable loops add to four sums in turn, as dotPortable does.

func dotsF32Portable(dst []float32, rows []byte, query []float32) {
	for i := range dst {
		row := rows[4*i*len(query):][:4*len(query)]
		var s0, s1, s2, s3 float32
		k := 0
		for ; k+4 <= len(query); k += 4 {
			q, r := (*[4]float32)(query[k:]), (*[16]byte)(row[4*k:])
			s0 += q[0] * math.Float32frombits(binary.LittleEndian.Uint32(r[0:]))
			s1 += q[1] * math.Float32frombits(binary.LittleEndian.Uint32(r[4:]))
			s2 += q[2] * math.Float32frombits(binary.LittleEndian.Uint32(r[8:]))
			s3 += q[3] * math.Float32frombits(binary.LittleEndian.Uint32(r[12:]))
		}
		for ; k < len(query); k++ {
			s0 += query[k] * math.Float32frombits(binary.LittleEndian.Uint32(row[4*k:]))
		}
		dst[i] = (s0 + s1) + (s2 + s3)
	}
}

func dotsF16Portable(dst []float32, rows []byte, query []float32) {
	for i := range dst {
		row := rows[2*i*len(query):][:2*len(query)]
		var s0, s1, s2, s3 float32
		k := 0
		for ; k+4 <= len(query); k += 4 {
			q, r := (*[4]float32)(query[k:]), (*[8]byte)(row[2*k:])
			s0 += q[0] * widenFinite(binary.LittleEndian.Uint16(r[0:]))
			s1 += q[1] * widenFinite(binary.LittleEndian.Uint16(r[2:]))
			s2 += q[2] * widenFinite(binary.LittleEndian.Uint16(r[4:]))
			s3 += q[3] * widenFinite(binary.LittleEndian.Uint16(r[6:]))
		}
		for ; k < len(query); k++ {
			s0 += query[k] * widenFinite(binary.LittleEndian.Uint16(row[2*k:]))
		}
		dst[i] = (s0 + s1) + (s2 + s3)
	}
}

// widenFinite is [WidenF16] without its branches, for halves that are finite. The exponents of the
// two kinds differ by 112.
func widenFinite(h uint16) float32 {
	magnitude := math.Float32frombits(uint32(h&0x7FFF)<<13) * 0x1p112
	return math.Float32frombits(math.Float32bits(magnitude) | uint32(h&0x8000)<<16)
}

func dotsI8Portable(dst []float32, rows []byte, query []float32) {
	for i := range dst {
		row := rows[i*len(query):][:len(query)]
		var s0, s1, s2, s3 float32
		k := 0
		for ; k+4 <= len(query); k += 4 {
			q, r := (*[4]float32)(query[k:]), (*[4]byte)(row[k:])
			s0 += q[0] * float32(int8(r[0]))
			s1 += q[1] * float32(int8(r[1]))
			s2 += q[2] * float32(int8(r[2]))
			s3 += q[3] * float32(int8(r[3]))
		}
		for ; k < len(query); k++ {
			s0 += query[k] * float32(int8(row[k]))
		}
		dst[i] = (s0 + s1) + (s2 + s3)
	}
}
