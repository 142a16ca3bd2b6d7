package nearest_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/platform"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// BenchmarkScan searches a million rows of 384 columns, or UFORM_ROWS of them, in turn with loops
// that only read as many bytes, which are the memory bandwidth of this machine at this moment. It
// reports the least processor time of each, divided by the number of goroutines, and the bandwidth
// of the search as a share of the best loop's. The index is in RAM, and so is what the loops read;
// BenchmarkScanOfAFile maps both from files in the page cache.
func BenchmarkScan(b *testing.B) { benchmarkScan(b, false) }

func BenchmarkScanOfAFile(b *testing.B) { benchmarkScan(b, true) }

func benchmarkScan(b *testing.B, mapped bool) {
	const columns = 384
	count := 1_000_000
	if asked := os.Getenv("UFORM_ROWS"); asked != "" {
		var err error
		count, err = strconv.Atoi(asked)
		require.NoError(b, err)
	}
	for _, scalar := range scalars {
		size := count * columns * map[uform.Scalar]int{uform.F32: 4, uform.F16: 2, uform.I8: 1}[scalar]
		index, queries := filled(b, count, columns, scalar)
		memory := bytes.Repeat([]byte{1, 2, 3, 4}, size/4)
		if mapped {
			index, memory = inFile(b, index)
		}
		for _, threads := range []int{1, 2} {
			for _, asked := range []int{1, 32} {
				b.Run(fmt.Sprintf("%v/threads=%d/queries=%d", scalar, threads, asked), func(b *testing.B) {
					search, loops := time.Hour, [...]time.Duration{time.Hour, time.Hour, time.Hour}
					for b.Loop() {
						begin := processor()
						_, err := index.SearchBatch(b.Context(), queries[:asked], 10, &nearest.SearchOptions{Threads: threads})
						search = min(search, (processor()-begin)/time.Duration(threads))
						require.NoError(b, err)
						for i, loop := range readers {
							loops[i] = min(loops[i], together(threads, memory, loop))
						}
					}
					rate := func(d time.Duration) float64 { return float64(size) / d.Seconds() / 1e9 }
					b.ReportMetric(search.Seconds()*1000, "ms/search")
					b.ReportMetric(rate(search), "GB/s")
					best := slices.Min(loops[:])
					b.ReportMetric(rate(loops[0]), "GB/s-count")
					b.ReportMetric(rate(loops[1]), "GB/s-copy")
					b.ReportMetric(rate(loops[2]), "GB/s-dots")
					b.ReportMetric(100*best.Seconds()/search.Seconds(), "%-of-bandwidth")
					b.ReportMetric(search.Seconds()*1e9/float64(count*asked), "ns/row")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
		require.NoError(b, index.Close())
	}
}

// readers read memory and do nothing else that takes time: a count of a byte, a
// copy to memory that stays in the cache, and the kernel without a search around it.
var readers = [3]func(part []byte){
	func(part []byte) {
		bytes.Count(part, []byte{0})
	},
	func(part []byte) {
		cached := make([]byte, 256<<10)
		for len(part) > 0 {
			part = part[copy(cached, part):]
		}
	},
	func(part []byte) {
		products, query := make([]float32, 64), make([]float32, 384)
		for size := 4 * len(products) * len(query); len(part) >= size; part = part[size:] {
			kernel.DotsF32(products, part, query)
		}
	},
}

// together runs a loop over parts of memory on some goroutines at once, and returns the processor
// time of one.
func together(threads int, memory []byte, loop func(part []byte)) time.Duration {
	begin := processor()
	var group sync.WaitGroup
	for part := range slices.Chunk(memory, (len(memory)+threads-1)/threads) {
		group.Go(func() { loop(part) })
	}
	group.Wait()
	return (processor() - begin) / time.Duration(threads)
}

// processor is the processor time of this process. Other processes do not count, as they would by
// the clock.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// filled returns an index of random rows and queries.
func filled(b *testing.B, count, columns int, scalar uform.Scalar) (*nearest.Index, [][]float32) {
	made, err := nearest.New(&nearest.Options{Columns: columns, Scalar: scalar})
	require.NoError(b, err)
	random := rand.New(rand.NewPCG(8, 1))
	const batch = 1000
	rows := make([][]float32, batch)
	for first := 0; first < count; first += batch {
		for i := range rows {
			rows[i] = make([]float32, columns)
			for k := range rows[i] {
				rows[i][k] = random.Float32() - 0.5
			}
		}
		require.NoError(b, made.Add(keysFrom(uint64(first), min(batch, count-first)), rows[:min(batch, count-first)]))
	}
	return made, rows[:32]
}

// inFile returns the index, mapped from a file, and another mapping of the rows in that file.
func inFile(b *testing.B, index *nearest.Index) (*nearest.Index, []byte) {
	path := b.TempDir() + "/index"
	require.NoError(b, index.Save(b.Context(), path))
	require.NoError(b, index.Close())
	opened, err := nearest.Open(path)
	require.NoError(b, err)
	mapping, err := platform.MapFile(path)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, mapping.Close()) })
	return opened, mapping.Bytes()
}
