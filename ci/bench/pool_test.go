//go:build linux

package bench_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// A Pool of one executor per core serves goroutines that each embed one short text after another.

// BenchmarkPoolEngine serves them with the embedded engine.
func BenchmarkPoolEngine(b *testing.B) { pool(b, &uform.OpenOptions{Embedded: true}) }

// BenchmarkPoolNative serves them with the C library.
func BenchmarkPoolNative(b *testing.B) { pool(b, &uform.OpenOptions{Path: loadertest.Need(b)}) }

func pool(b *testing.B, options *uform.OpenOptions) {
	library, err := uform.Open(options)
	require.NoError(b, err)
	ctx := context.Background()
	model, err := mini.Load(ctx, library, nil)
	require.NoError(b, err)
	defer model.Close()
	pool, err := uform.NewPool(model, nil)
	require.NoError(b, err)
	defer pool.Close()
	text := []string{"a cat sat on the mat and looked at a dog"}
	for _, goroutines := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(goroutines), func(b *testing.B) {
			b.ReportAllocs()
			b.ResetTimer()
			var next atomic.Int64
			var group sync.WaitGroup
			before := spent(b)
			for range goroutines {
				group.Go(func() {
					for next.Add(1) <= int64(b.N) {
						if _, err := pool.Embed(ctx, text); err != nil {
							b.Error(err)
						}
					}
				})
			}
			group.Wait()
			reportSpent(b, spent(b)-before)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
