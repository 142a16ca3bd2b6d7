package trunk_test

import (
	"fmt"
	"testing"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// BenchmarkForward is the layers of all-MiniLM-L6-v2, for one text and for a batch.
func BenchmarkForward(b *testing.B) {
	d := describe(shape{
		config: trunk.Config{Width: 384, Heads: 12, Hidden: 1536, Norm: trunk.LayerNorm, Epsilon: 1e-12, NormAfter: true, Activation: trunk.GELU},
		layers: 6, biases: true, normBiases: true,
	})
	for _, kind := range []abi.Scalar{abi.ScalarF32, abi.ScalarBF16, abi.ScalarI8} {
		built := d.build(b, always(kind))
		for _, batch := range []struct{ texts, tokens int }{{1, 16}, {1, 64}, {1, 256}, {32, 16}, {32, 64}} {
			b.Run(fmt.Sprintf("%v/%dx%d", kind, batch.texts, batch.tokens), func(b *testing.B) {
				var lengths []int
				for range batch.texts {
					lengths = append(lengths, batch.tokens)
				}
				in := newTexts(d.config.Width, lengths...)
				var scratch trunk.Scratch
				for b.Loop() {
					copy(scratch.Hidden(len(in.rows)/in.width, in.width), in.rows)
					if _, err := built.Forward(&scratch, in.spans, trunk.EveryRow, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(batch.texts*batch.tokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}

// BenchmarkWindow takes time that is linear in the length of a text.
func BenchmarkWindow(b *testing.B) {
	d := describe(shape{
		config: trunk.Config{Width: 256, Heads: 4, Hidden: 384, Norm: trunk.LayerNorm, Epsilon: 1e-5, Activation: trunk.GELU},
		layers: 2, gated: true, local: 10000, window: 64, global: 1 << 10,
	})
	d.layers[0].window = 64
	built := d.build(b, always(abi.ScalarF32))
	for _, tokens := range []int{512, 2048, 8192} {
		b.Run(fmt.Sprint(tokens), func(b *testing.B) {
			in := newTexts(d.config.Width, tokens)
			var scratch trunk.Scratch
			for b.Loop() {
				copy(scratch.Hidden(tokens, in.width), in.rows)
				if _, err := built.Forward(&scratch, in.spans, trunk.EveryRow, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(tokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
