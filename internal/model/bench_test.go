package model_test

import (
	"fmt"
	"testing"

	"github.com/unum-cloud/uform-go/internal/model"
)

var sentence = []byte("the quick brown fox jumps over the lazy dog and runs away fast")

func BenchmarkEncode(b *testing.B) {
	grams := &model.Grams{Sizes: []int{3, 4, 5}, Hashes: 1, Buckets: 1 << 16, Words: true, Fold: true}
	lexical := &model.Lexical{Sizes: []int{3, 4}, Buckets: 1 << 16, Fold: true, Columns: 256, Share: 0.3}
	for _, shape := range []struct {
		name   string
		config model.Config
	}{
		{"bag", model.Config{Modalities: []string{"text"}, Context: 512, Width: 256, Columns: 256, Grams: grams}},
		{"bag with lane", model.Config{Modalities: []string{"text"}, Context: 512, Width: 256, Columns: 256, Grams: grams, Lexical: lexical}},
		{"four layers", model.Config{Modalities: []string{"text"}, Context: 512, Width: 256, Layers: 4, Heads: 4, Hidden: 1024, Columns: 256}},
	} {
		for _, dtype := range matrixTypes {
			m := newCheckpoint(1, shape.config, dtype, model.F32).parse(b, nil)
			for _, count := range []int{1, 64} {
				b.Run(fmt.Sprintf("%s/%s/%d", shape.name, dtype, count), func(b *testing.B) {
					texts := make([][]byte, count)
					for i := range texts {
						texts[i] = sentence
					}
					embeddings := make([]float32, count*int(m.Describe().EmbeddingColumns))
					var scratch model.Scratch
					for b.Loop() {
						if err := m.Encode(&scratch, texts, embeddings, nil, nil); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(count*b.N)/b.Elapsed().Seconds(), "texts/s")
				})
			}
		}
	}
}
