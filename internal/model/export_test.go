package model

import "github.com/unum-cloud/uform-go/internal/kernel"

// Internals for the tests of hashes.

func HashGram(gram []byte) uint64 {
	var h [1]uint64
	hashGrams(h[:], gram, len(gram))
	return h[0]
}

func HashWord(word []byte) uint64 { return uint64(hashWord(word)) }

func HashSigns(h uint64, m int) uint64 { return kernel.Signs(h, m) }

// HashRows returns the first four rows of a hash.
func HashRows(h uint64, buckets int) (rows [4]int) {
	for i := range rows {
		rows[i] = hash(h).bucket(bucketsOf(buckets))
		h = uint64(hash(h).next())
	}
	return rows
}
