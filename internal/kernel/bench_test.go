package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

func BenchmarkRows(b *testing.B) {
	random := rand.New(rand.NewPCG(41, 1))
	const n = 1536
	x, y, dst := randomFloats(random, n), randomFloats(random, n), make([]float32, n)
	bytes, halves := make([]byte, n), make([]uint16, n)
	// Sixteen positions, of six rows each, in a table that no nearer cache than the second holds.
	gather := kernel.Gather{Table: kernel.Int4{Bytes: make([]byte, 48<<14), Scales: make([]float32, 1<<14)}}
	for range 16 {
		for range 6 {
			gather.Rows = append(gather.Rows, random.Uint32N(1<<14))
		}
		gather.Ends = append(gather.Ends, len(gather.Rows))
	}
	hashes, weights, sums := make([]uint64, 100), make([]float32, 100), make([]float64, 96)
	for i := range hashes {
		hashes[i] = random.Uint64()
	}
	for _, routine := range []struct {
		name     string
		elements int
		run      func()
	}{
		{"Dot", n, func() { kernel.Dot(x, y) }},
		{"Add", n, func() { kernel.Add(dst, x) }},
		{"Multiply", n, func() { copy(dst, x); kernel.Multiply(dst, x) }},
		{"AddInt8", n, func() { kernel.AddInt8(dst, bytes, 0.5) }},
		{"AddInt4", n, func() { kernel.AddInt4(dst, bytes[:n/2], 0.5) }},
		{"GatherInt4", 96 * len(gather.Rows), func() { kernel.GatherInt4(dst, 96, &gather) }},
		{"AddSigns", 256 * len(weights), func() { kernel.AddSigns(dst[:256], hashes, weights) }},
		{"Accumulate", n, func() { kernel.Accumulate(sums, x) }},
		{"FromF16", n, func() { kernel.FromF16(dst, halves) }},
		{"AddF16", n, func() { kernel.AddF16(dst, halves) }},
		{"RMSNorm", n, func() { kernel.RMSNorm(dst, x, y, 1e-6) }},
		{"LayerNorm", n, func() { kernel.LayerNorm(dst, x, y, y, 1e-6) }},
		{"Rotate", n, func() { kernel.Rotate(dst, x[:n/2], y[:n/2]) }},
		{"Softmax", n, func() { copy(dst, x); kernel.Softmax(dst, 1) }},
		{"SiLU", n, func() { copy(dst, x); kernel.SiLU(dst) }},
		{"GELU", n, func() { copy(dst, x); kernel.GELU(dst) }},
		{"GELUTanh", n, func() { copy(dst, x); kernel.GELUTanh(dst) }},
		{"QuickGELU", n, func() { copy(dst, x); kernel.QuickGELU(dst) }},
		{"ReLU", n, func() { copy(dst, x); kernel.ReLU(dst) }},
	} {
		for _, path := range kernel.Paths() {
			b.Run(routine.name+"/"+path, func(b *testing.B) {
				defer kernel.Force(path)()
				for b.Loop() {
					routine.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*routine.elements), "ns/element")
			})
		}
	}
}
