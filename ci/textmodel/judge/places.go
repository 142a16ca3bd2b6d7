package judge

// Places returns how often a row retrieves the row of the same index, in first place and among the
// first ten.
func Places(from, to [][]float32) (first, ten float64) {
	for i, vector := range from {
		own, before := cosine(vector, to[i]), 0
		for j := range to {
			if j != i && cosine(vector, to[j]) >= own {
				before++
			}
		}
		if before == 0 {
			first++
		}
		if before < 10 {
			ten++
		}
	}
	return first / float64(len(from)), ten / float64(len(from))
}
