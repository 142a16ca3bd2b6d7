package judge

import "slices"

// Neighbours returns the nearest words of a vocabulary to each of some words, the nearest first,
// without the words themselves.
func Neighbours(encode Encoder, words, vocabulary []string, count int) ([][]string, error) {
	asked, err := encode(words)
	if err != nil {
		return nil, err
	}
	known, err := encode(vocabulary)
	if err != nil {
		return nil, err
	}
	all := make([][]string, len(words))
	for i, vector := range asked {
		order := make([]int, 0, len(vocabulary))
		scores := make([]float64, len(vocabulary))
		for j, other := range known {
			if vocabulary[j] != words[i] {
				scores[j] = cosine(vector, other)
				order = append(order, j)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case scores[a] > scores[b]:
				return -1
			case scores[a] < scores[b]:
				return 1
			}
			return 0
		})
		for _, j := range order[:min(count, len(order))] {
			all[i] = append(all[i], vocabulary[j])
		}
	}
	return all, nil
}
