//go:build unix

package columnar_test

import (
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/columnar"
	"github.com/unum-cloud/uform-go/uform/words"
)

// counter counts what is written.
type counter struct{ bytes int64 }

func (c *counter) Write(bytes []byte) (int, error) {
	c.bytes += int64(len(bytes))
	return len(bytes), nil
}

// BenchmarkThousandTexts is the least processor time for a thousand texts with package words, of a
// loop that only encodes, and of each file: the table of docs/neighbours.md. The time of a file
// includes the encoding of the texts.
func BenchmarkThousandTexts(b *testing.B) {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(b, err)
	model, err := words.Load(b.Context(), library, nil)
	require.NoError(b, err)
	defer model.Close()
	arena, err := library.NewArena(nil)
	require.NoError(b, err)
	defer arena.Close()
	var texts []string
	for i := range 1000 {
		texts = append(texts, fmt.Sprintf("sentence number %d says that a cat sleeps in the sun", i))
	}
	tape := uform.Strings(texts)
	for _, kind := range kinds {
		for _, way := range []struct {
			name  string
			write func(rows uform.Rows, out io.Writer) error
		}{
			{"encoded", func(uform.Rows, io.Writer) error { return nil }},
			{"array", func(rows uform.Rows, _ io.Writer) error {
				vectors, err := columnar.Array(rows)
				if err == nil {
					vectors.Release()
				}
				return err
			}},
			{"stream", func(rows uform.Rows, out io.Writer) error {
				record, err := vectorsOf(rows)
				if err != nil {
					return err
				}
				defer record.Release()
				return writeStream(record, out, memory.DefaultAllocator)
			}},
			{"parquet", func(rows uform.Rows, out io.Writer) error {
				record, err := vectorsOf(rows)
				if err != nil {
					return err
				}
				defer record.Release()
				return writeParquet(record, out, memory.DefaultAllocator, packed(rows.Scalar())...)
			}},
		} {
			b.Run(fmt.Sprintf("%v/%s", kind.scalar, way.name), func(b *testing.B) {
				var least time.Duration
				var out counter
				for b.Loop() {
					began := processor()
					encoded, err := model.TextEncode(b.Context(), tape, arena, &uform.TextOptions{Scalar: kind.scalar})
					require.NoError(b, err)
					out.bytes = 0
					require.NoError(b, way.write(encoded.Embeddings, &out))
					if took := processor() - began; least == 0 || took < least {
						least = took
					}
				}
				b.ReportMetric(float64(least.Microseconds())/1000, "ms")
				b.ReportMetric(float64(out.bytes)/1000, "B/text")
			})
		}
	}
}

// processor is the processor time of this process so far.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
