package judge

// Places is how often a row finds the one of the same number among others, at the first place and among the first ten.
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
