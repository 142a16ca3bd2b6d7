package judge

import (
	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
)

// Found is how often the first text of a pair retrieves the second among the seconds of all pairs.
type Found struct {
	Language string
	Pairs    int
	// Across is from English to the language, Within from a line to its longer sentence in the same
	// language.
	Across, Within float64
	WithinPairs    int
}

// Languages retrieves held-out translations, language by language.
func Languages(encode Encoder, held []corpus.Translation) ([]Found, error) {
	var all []Found
	for _, language := range corpus.Languages {
		var across, within []corpus.Pair
		for _, translation := range held {
			if translation.Language != language {
				continue
			}
			across = append(across, translation.Pair)
			if translation.Long[1] != "" {
				within = append(within, corpus.Pair{translation.Pair[1], translation.Long[1]})
			}
		}
		found := Found{Language: language, Pairs: len(across), WithinPairs: len(within)}
		var err error
		if found.Across, err = Recall(encode, across); err != nil {
			return nil, err
		}
		if found.Within, err = Recall(encode, within); err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	return all, nil
}

// Recall returns the share of pairs whose first text ranks its second above the seconds of all
// others.
func Recall(encode Encoder, pairs []corpus.Pair) (float64, error) {
	if len(pairs) == 0 {
		return 0, nil
	}
	var firsts, seconds []string
	for _, pair := range pairs {
		firsts, seconds = append(firsts, pair[0]), append(seconds, pair[1])
	}
	from, err := encode(firsts)
	if err != nil {
		return 0, err
	}
	to, err := encode(seconds)
	if err != nil {
		return 0, err
	}
	right := 0
	for i, vector := range from {
		own, first := cosine(vector, to[i]), true
		for j := range to {
			if j != i && seconds[j] != seconds[i] && cosine(vector, to[j]) >= own {
				first = false
				break
			}
		}
		if first {
			right++
		}
	}
	return float64(right) / float64(len(pairs)), nil
}
