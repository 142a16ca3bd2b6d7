package model

import (
	"math"
	"math/bits"
)

// hash identifies a byte n-gram or a word. Rows of tables and signs of the lexical lane follow from
// it.
type hash uint64

const (
	gramSeed = 0xC2B2AE3D27D4EB4F
	wordSeed = 77
)

func hashWord(word []byte) hash {
	h := uint64(wordSeed)
	for _, b := range word {
		h = hashByte(h, b)
	}
	return hash(h)
}

// hashGrams writes to dst[i] the hash of bytes[i:i+size].
func hashGrams(dst []uint64, bytes []byte, size int) {
	for i := range dst {
		dst[i] = uint64(size) * gramSeed
	}
	// Some bytes at a time, so that a hash stays in a register, and all n-grams beside each other,
	// because each step of a hash waits for the one before.
	for ; size > 3; size -= 2 {
		hashTwo(dst, bytes)
		bytes = bytes[2:]
	}
	switch size {
	case 3:
		a, b, c := bytes[:len(dst)], bytes[1:][:len(dst)], bytes[2:][:len(dst)]
		for i, h := range dst {
			dst[i] = hashByte(hashByte(hashByte(h, a[i]), b[i]), c[i])
		}
	case 2:
		hashTwo(dst, bytes)
	case 1:
		for i, b := range bytes[:len(dst)] {
			dst[i] = hashByte(dst[i], b)
		}
	}
}

func hashTwo(dst []uint64, bytes []byte) {
	a, b := bytes[:len(dst)], bytes[1:][:len(dst)]
	for i, h := range dst {
		dst[i] = hashByte(hashByte(h, a[i]), b[i])
	}
}

// hashByte returns the hash h of some bytes, after one more byte.
func hashByte(h uint64, b byte) uint64 {
	h = (h ^ (uint64(b) + 1)) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// buckets is a number of rows of a table, and what finds the row of a hash without a division,
// which takes up to ninety cycles.
type buckets struct {
	count   uint64
	inverse uint64 // ⌊(2⁶⁴−1)/count⌋
}

func bucketsOf(count int) buckets { return buckets{uint64(count), math.MaxUint64 / uint64(count)} }

// bucket returns the hash's row of a table.
func (h hash) bucket(b buckets) int {
	x := uint64(h ^ h>>32)
	// x·inverse/2⁶⁴ is less than 1 below x/count, so the quotient is at most 1 too small. Whether
	// it is cannot be predicted, so there is no branch.
	quotient, _ := bits.Mul64(x, b.inverse)
	rest := x - quotient*b.count
	_, borrow := bits.Sub64(rest, b.count, 0)
	return int(rest - b.count&(borrow-1))
}

// next returns the hash of the same n-gram for its next row.
func (h hash) next() hash { return (h ^ 0xD6E8FEB86659FD93) * 0xFF51AFD7ED558CCD }
