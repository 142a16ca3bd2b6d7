package train_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/model"
)

// sentences are count made up lines of words, each as long as length.
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

// ceiling returns a product for which the kernels are fastest, on all threads, and the number of
// its operations.
func ceiling(spread train.Spread, threads int) (run func(), operations float64) {
	const rows, size = 768, 384
	random := rand.New(rand.NewPCG(1, 1))
	packed := kernel.PackF32(size, size, func(_ int, dst []float32) { copy(dst, floats(random, size)) })
	x := floats(random, rows*size)
	out := make([][]float32, threads)
	for i := range out {
		out[i] = make([]float32, rows*size)
	}
	return func() {
		spread(threads, func(i int) { packed.Product(out[i], size, x, size, rows) })
	}, float64(threads) * 2 * rows * size * size
}

// BenchmarkStep runs steps of the shapes in the benchmarks page, alternating with products: the
// share of the peak compares with the same machine at the same time.
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
	threads := runtime.GOMAXPROCS(0)
	spread := train.Threads(threads)
	peak, peakOperations := ceiling(spread, threads)
	for _, shape := range []struct {
		name          string
		config        *model.Config
		items, length int
	}{
		{"bag_8.4M_512x60", bag, 512, 60},
		{"trunk_0.63M_144x64", trunk(128, 3, 2), 144, 64},
		{"trunk_2.7M_144x64", trunk(192, 6, 3), 144, 64},
	} {
		b.Run(shape.name, func(b *testing.B) {
			file, err := train.Fresh(shape.config, 1)
			require.NoError(b, err)
			trainer, err := train.New(file, &train.Options{Spread: spread})
			require.NoError(b, err)
			batch := &train.Batch{Items: sentences(rand.New(rand.NewPCG(1, 1)), shape.items, shape.length), Neighbours: true}
			step := func() {
				_, err := trainer.Step(b.Context(), batch, nil)
				require.NoError(b, err)
			}
			step() // which takes the memory
			var stepping, peaking time.Duration
			products := 0
			b.ReportAllocs()
			for b.Loop() {
				begun := time.Now()
				step()
				stepping += time.Since(begun)
				b.StopTimer()
				for begun = time.Now(); time.Since(begun) < 50*time.Millisecond; products++ {
					peak()
				}
				peaking += time.Since(begun)
				b.StartTimer()
			}
			b.ReportMetric(float64(trainer.Bytes())/(1<<20), "MiB")
			if shape.config.Layers == 0 {
				return
			}
			// Forward, and twice that backward: products of rows with matrices, of queries with
			// keys, and of weights with values.
			d, tokens := float64(shape.config.Width), float64(shape.items*shape.length)
			operations := tokens * float64(shape.config.Layers) * (72*d*d + 12*float64(shape.length)*d)
			speed := operations * float64(b.N) / stepping.Seconds()
			b.ReportMetric(speed/1e9, "GFLOP/s")
			b.ReportMetric(100*speed/(peakOperations*float64(max(1, products))/peaking.Seconds()), "%ofpeak")
		})
	}
}
