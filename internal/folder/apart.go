package folder

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// Real models have a few inputs of layers that are far larger than all others, the same ones in all
// texts. A row rounded to bytes has 127 steps from its lowest to its highest scalar, and those few
// would use up most of them. They are found by the texts below, and stay in f32.
const (
	// mostApart is how many inputs of a part of a layer may stand apart. Each takes about a
	// hundredth of the time of the product with a matrix of 384 inputs. More did not help: the
	// least cosine to f32 of 100 sentences in all-MiniLM-L6-v2 is .9884 without any, .9977 with 2,
	// .9982 with 4, .9981 with 8, .9979 with 16.
	mostApart = 8
	// apartFrom is how many times as large as the root of a row's mean square the largest scalar of
	// such an input is, at least.
	apartFrom = 8
)

// samples are the texts that the inputs are found by: the large ones of unusual tokens may differ
// from those of common words, marks and figures.
var samples = []string{
	"The quick brown fox jumps over the lazy dog, and the dog does not mind.",
	"How do I reset my password? I have tried twice: nothing happens!",
	"In 2023 the company sold 1,250 machines at a price of $19.99 each (see table 4).",
	"Der Zug nach Berlin hat heute leider zwanzig Minuten Verspätung.",
	"La bibliothèque est fermée le dimanche; elle ouvre lundi à neuf heures.",
	"Мама мыла раму, а дети играли во дворе.",
	"今天天气很好，我们去公园散步吧。",
	"func main() { fmt.Println(\"hello, world\") } // prints a line",
}

// layerPart is a part of a layer that rounds its input rows.
type layerPart struct {
	layer       int
	feedforward bool
}

// setApart sets the inputs that are not rounded, of a tower of texts with matrices of bytes.
func (b *builder) setApart() error {
	t := b.model.tower
	if t == nil || len(b.loader.rounded) == 0 {
		return nil
	}
	largest, err := b.model.largest()
	if err != nil {
		return err
	}
	for i := range t.layers {
		l := &t.layers[i]
		for _, linear := range []*trunk.Linear{&l.Query, &l.Key, &l.Value} {
			b.loader.setApart(linear, largest[layerPart{i, false}])
		}
		for _, linear := range []*trunk.Linear{&l.Up, &l.Gate} {
			b.loader.setApart(linear, largest[layerPart{i, true}])
		}
	}
	if t.trunk, err = trunk.New(&t.config, t.layers); err != nil {
		return fmt.Errorf("%s: %w", b.weights.name, err)
	}
	return nil
}

// largest returns the largest scalar of each input of each part, relative to its row.
func (m *Model) largest() (map[layerPart][]float64, error) {
	t, s := m.tower, new(Scratch)
	largest := map[layerPart][]float64{}
	see := func(layer int, feedforward bool, row []float32) {
		part := layerPart{layer, feedforward}
		of := largest[part]
		if of == nil {
			of = make([]float64, len(row))
			largest[part] = of
		}
		by := math.Sqrt(float64(len(row))) / length(row)
		for c, v := range row {
			of[c] = max(of[c], math.Abs(float64(v))*by)
		}
	}
	for _, text := range samples {
		ids, _, err := m.Tokenize(s, nil, []byte(text), NoPrompt)
		if err != nil {
			return nil, fmt.Errorf("a sample text: %w", err)
		}
		if len(ids) == 0 {
			continue
		}
		t.readInputs(s.trunk.Hidden(len(ids), t.config.Width), ids, grow(&s.row, t.config.Width))
		if err := t.trunk.Inputs(&s.trunk, []trunk.Span{{Length: len(ids)}}, see); err != nil {
			return nil, err
		}
	}
	return largest, nil
}

// setApart sets the inputs of a matrix that are not rounded, by the largest scalar of each.
func (l *loader) setApart(linear *trunk.Linear, largest []float64) {
	source, known := l.rounded[linear.Weight.Bytes]
	if !known {
		return
	}
	var apart []int
	for c, v := range largest {
		if v >= apartFrom {
			apart = append(apart, c)
		}
	}
	if len(apart) == 0 {
		return
	}
	slices.SortFunc(apart, func(a, b int) int { return cmp.Or(cmp.Compare(largest[b], largest[a]), cmp.Compare(a, b)) })
	apart = apart[:min(len(apart), mostApart)]
	slices.Sort(apart)
	linear.SetApart(apart, source.read)
	l.letGo(source.data())
}
