package mpi_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/mpi"
	"github.com/unum-cloud/uform-go/internal/mpi/mpitest"
)

// measuredLengths are one scalar, a trunk's gradients, and those of a bag of n-grams.
var measuredLengths = []int{1, 600_000, 8_400_000}

// reducingMeasured reports milliseconds for a sum, by length.
func reducingMeasured(w *worker) {
	for _, length := range measuredLengths {
		values := make([]float32, length)
		const rounds = 10
		begin := time.Now()
		for round := range rounds + 1 {
			if round == 1 { // the first one finds its peers and its memory
				begin = time.Now()
			}
			if err := w.AllReduce(soon(time.Minute), values); err != nil {
				w.report("%v", err)
				return
			}
		}
		w.report("%g", float64(time.Since(begin).Microseconds())/1000/rounds)
	}
}

// trainingMeasured reports milliseconds for a step over 144 texts of 64 bytes, divided among the
// processes, and the most memory that this process has had, in MiB.
func trainingMeasured(w *worker) {
	index, count, _ := mpi.Launched()
	options := &train.Options{Spread: train.Threads(1)}
	if count > 1 {
		run, err := mpi.Join(index, count)
		if err != nil {
			w.report("%v", err)
			return
		}
		options.Reducer = run
	}
	const items, length = 144, 64
	file, err := train.Fresh(&model.Config{
		Modalities: []string{"text"}, Context: 256, Width: 128, Layers: 3, Heads: 2, Hidden: 512, Columns: 128,
	}, 1)
	if err != nil {
		w.report("%v", err)
		return
	}
	trainer, err := train.New(file, options)
	if err != nil {
		w.report("%v", err)
		return
	}
	defer trainer.Close()
	batch := &train.Batch{}
	for i := index * items / count; i < (index+1)*items/count; i++ {
		text := bytes.Repeat(fmt.Appendf(nil, "sentence %d about number %d; ", i/2, i), length)[:length]
		batch.Items, batch.Groups = append(batch.Items, train.Item{Text: text}), append(batch.Groups, int64(i/2))
	}
	const rounds = 8
	begin := time.Now()
	for round := range rounds + 1 {
		if round == 1 {
			begin = time.Now()
		}
		if _, err := trainer.Step(soon(time.Minute), batch, nil); err != nil {
			w.report("%v", err)
			return
		}
	}
	w.report("%g", float64(time.Since(begin).Microseconds())/1000/rounds)
	w.report("%g", peakMemory())
}

// peakMemory is the most that this process has had in memory, in MiB, zero where the system does
// not tell it so.
func peakMemory() float64 {
	content, _ := os.ReadFile("/proc/self/status")
	_, after, _ := bytes.Cut(content, []byte("VmHWM:"))
	number, _, _ := bytes.Cut(bytes.TrimSpace(after), []byte(" "))
	kilobytes, _ := strconv.ParseFloat(string(number), 64)
	return kilobytes / 1024
}

// measure launches a scenario, and reports what process zero did.
func measure(b *testing.B, launcher mpitest.Launcher, count int, scenario string, units ...string) {
	b.Helper()
	for b.Loop() {
		reports, said, err := launch(b, launcher, count, scenario)
		require.NoError(b, err, said)
		require.Len(b, reports[0], len(units), "%q", reports[0])
		for i, unit := range units {
			value, err := strconv.ParseFloat(reports[0][i], 64)
			require.NoError(b, err)
			b.ReportMetric(value, unit)
		}
	}
	b.ReportMetric(0, "ns/op")
}

func BenchmarkAllReduce(b *testing.B) {
	for _, launcher := range mpitest.Launchers() {
		for _, count := range []int{2, 4} {
			b.Run(fmt.Sprintf("%s/%d", launcher.Name, count), func(b *testing.B) {
				measure(b, launcher, count, "reducing measured", "ms/scalar", "ms/0.6M", "ms/8.4M")
			})
		}
	}
}

func BenchmarkTraining(b *testing.B) {
	for _, launcher := range mpitest.Launchers() {
		for _, count := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("%s/%d", launcher.Name, count), func(b *testing.B) {
				measure(b, launcher, count, "training measured", "ms/step", "MiB")
			})
		}
	}
}
