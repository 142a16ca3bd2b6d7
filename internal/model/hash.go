package model

// hash identifies a byte n-gram or a word. Rows of tables and signs of the lexical lane follow from
// it.
type hash uint64

const (
	gramSeed = 0xC2B2AE3D27D4EB4F
	wordSeed = 77
)

func hashGram(gram []byte) hash { return hashBytes(uint64(len(gram))*gramSeed, gram) }

func hashWord(word []byte) hash { return hashBytes(wordSeed, word) }

func hashBytes(h uint64, bytes []byte) hash {
	for _, b := range bytes {
		h = (h ^ (uint64(b) + 1)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return hash(h)
}

// bucket returns the hash's row of a table.
func (h hash) bucket(buckets int) int { return int(uint64(h^h>>32) % uint64(buckets)) }

// next returns the hash of the same n-gram for its next row.
func (h hash) next() hash { return (h ^ 0xD6E8FEB86659FD93) * 0xFF51AFD7ED558CCD }

// signs returns the 64 signs of the n-gram in word m of the lexical lane, a bit for each.
func (h hash) signs(m int) uint64 {
	z := uint64(h) + (uint64(m)+1)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
