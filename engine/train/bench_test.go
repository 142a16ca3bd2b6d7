package train_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/model"
	"github.com/unum-cloud/uform-go/engine/train"
)

// sentences are count made up lines of words, about as long as length.
func sentences(random *rand.Rand, count, length int) []train.Item {
	items := make([]train.Item, count)
	for i := range items {
		var text []byte
		for len(text) < length {
			for range 2 + random.IntN(6) {
				text = append(text, byte('a'+random.IntN(26)))
			}
			text = append(text, ' ')
		}
		items[i] = train.Item{Text: text[:length]}
	}
	return items
}

func BenchmarkStep(b *testing.B) {
	bag := &model.Config{
		Modalities: []string{"text"}, Context: 256, Width: 128, Columns: 256,
		Grams: &model.Grams{Sizes: []int{1, 2, 3, 4, 5, 6}, Hashes: 2, Buckets: 1 << 16, Words: true, Fold: true},
	}
	trunk := func(width, layers, heads int) *model.Config {
		return &model.Config{
			Modalities: []string{"text"}, Context: 256, Width: width, Layers: layers, Heads: heads, Hidden: 4 * width, Columns: width,
		}
	}
	for _, shape := range []struct {
		name          string
		config        *model.Config
		items, length int
	}{
		{"bag8M_512x60", bag, 512, 60},
		{"trunk0.6M_144x64", trunk(128, 3, 2), 144, 64},
		{"trunk2.7M_144x64", trunk(192, 6, 3), 144, 64},
	} {
		b.Run(shape.name, func(b *testing.B) {
			file, err := train.Fresh(shape.config, 1)
			require.NoError(b, err)
			trainer, err := train.New(file, nil)
			require.NoError(b, err)
			random := rand.New(rand.NewPCG(1, 1))
			batch := &train.Batch{Items: sentences(random, shape.items, shape.length), Neighbours: true}
			for b.Loop() {
				_, err := trainer.Step(b.Context(), batch, nil)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(trainer.Bytes())/(1<<20), "MiB")
			tokens := float64(shape.items * shape.length)
			d, l := float64(shape.config.Width), float64(shape.config.Layers)
			flops := tokens * l * (72*d*d + 12*float64(shape.length)*d)
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
	_ = fmt.Sprint
}
