package teacher

import (
	"fmt"
	"math"
)

// known are results of the package's own JavaScript for some texts, in the columns of knownColumns.
var known = []struct {
	text   string
	values [6]float64
}{
	{"A plane is taking off.", [6]float64{-0.014991, -0.037995, 0.027940, -0.060952, -0.016135, -0.043397}},
	{"日本 déjà vu", [6]float64{-0.052197, -0.057620, 0.053049, 0.048818, -0.057181, -0.045132}},
	{"How do I reactivate my card?", [6]float64{-0.036428, 0.054206, -0.000657, -0.030989, -0.054881, 0.043714}},
	{"http://example.org: see (2nd) page; ﬁne\u00a0print — 100%", [6]float64{-0.062585, -0.075260, 0.053915, 0.060564, 0.028124, -0.017645}},
}

var knownColumns = [6]int{0, 100, 200, 300, 400, 511}

// check compares the model with results of the package's JavaScript for some texts.
func (m *Model) check() error {
	texts := make([]string, len(known))
	for i := range known {
		texts[i] = known[i].text
	}
	vectors := make([]float32, len(texts)*Columns)
	m.Embed(vectors, texts)
	for i, k := range known {
		for j, column := range knownColumns {
			if got := float64(vectors[i*Columns+column]); math.Abs(got-k.values[j]) > 1e-5 {
				return fmt.Errorf("column %d of %q is %.6f but %.6f in the package", column, k.text, got, k.values[j])
			}
		}
	}
	return nil
}
