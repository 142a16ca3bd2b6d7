package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/unum-cloud/uform-go/ci/bench/onnx"
	"github.com/unum-cloud/uform-go/ci/bench/peak"
	"github.com/unum-cloud/uform-go/uform"
)

// kinds are the types that the engine packs weights to, in the order of the tables.
var kinds = []uform.Scalar{uform.F32, uform.BF16, uform.I8}

// load is the input of an encoder: a number of texts of a length, or of lengths up to it.
type load struct {
	count, length int
	ragged        bool
}

func (l load) String() string {
	if l.ragged {
		return fmt.Sprintf("%d × up to %d", l.count, l.length)
	}
	return fmt.Sprintf("%d × %d", l.count, l.length)
}

var shapes = []shape{{6, 384}, {12, 384}, {12, 768}}

var loads = []load{
	{1, 16, false}, {1, 64, false}, {1, 256, false}, {1, 1024, false}, {1, 2048, false}, {16, 128, false}, {32, 128, true},
}

// row is an encoder under a load: the seconds of ONNX Runtime and of each kind, and the fraction of
// the processor's peak that each reaches.
type row struct {
	shape    shape
	load     load
	threads  int
	spent    []float64
	fraction []float64
	cosine   []float64 // of each kind to ONNX Runtime, the smallest of the batch
}

// encoders measures all encoders, or those whose line in the table, "12 × 768
// 1 × 64
// 1", only matches.
func encoders(ort string, rounds int, only *regexp.Regexp) ([]row, error) {
	foreign, err := onnx.Open(ort)
	if err != nil {
		return nil, err
	}
	own, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return nil, err
	}
	var rows []row
	for threads, shapes := range [][]shape{1: shapes, 2: shapes[1:2]} {
		for _, s := range shapes {
			measured, err := s.measure(foreign, own, threads, rounds, only)
			if err != nil {
				return nil, fmt.Errorf("%v on %d threads: %w", s, threads, err)
			}
			rows = append(rows, measured...)
		}
	}
	return rows, nil
}

func (s shape) measure(foreign *onnx.Runtime, own *uform.Library, threads, rounds int, only *regexp.Regexp) (rows []row, err error) {
	if !slices.ContainsFunc(loads, func(l load) bool { return s.wanted(l, threads, only) }) {
		return nil, nil
	}
	weights, file, err := s.checkpoint()
	if err != nil {
		return nil, err
	}
	executor, err := own.NewExecutor(&uform.ExecutorOptions{Threads: threads, WithCaller: true})
	if err != nil {
		return nil, err
	}
	defer executor.Close()
	arena, err := own.NewArena(executor)
	if err != nil {
		return nil, err
	}
	defer arena.Close()
	var receivers []uform.On
	for _, kind := range kinds {
		model, err := own.LoadBytes(ctx, file, &uform.LoadOptions{Scalar: kind})
		if err != nil {
			return nil, err
		}
		defer model.Close()
		receivers = append(receivers, model.On(executor))
	}
	for _, ragged := range []bool{false, true} {
		session, err := foreign.NewSession(onnx.Graph(s.config(), weights, longest, ragged), threads, ragged)
		if err != nil {
			return nil, err
		}
		for _, l := range loads {
			if l.ragged == ragged && s.wanted(l, threads, only) {
				fmt.Fprintf(os.Stderr, "%v, %v, %d threads\n", s, l, threads)
				measured, err := s.under(l, session, receivers, arena, threads, rounds)
				if err != nil {
					return nil, err
				}
				rows = append(rows, measured)
			}
		}
		session.Close()
	}
	return rows, nil
}

func (s shape) wanted(l load, threads int, only *regexp.Regexp) bool {
	return (threads == 1 || l.count*l.length >= 256) && only.MatchString(fmt.Sprintf("%v | %v | %d", s, l, threads))
}

// under measures one load, after it has checked that the embeddings agree.
func (s shape) under(l load, session *onnx.Session, receivers []uform.On, arena *uform.Arena, threads, rounds int) (row, error) {
	texts := batch(l.count, l.length, l.ragged)
	in, want := onnx.Pad(texts), make([]float32, l.count*s.width)
	r := row{shape: s, load: l, threads: threads}
	var failed error
	keep := func(err error) {
		if err != nil {
			failed = err
		}
	}
	runs := []func(){func() { keep(session.Run(in, want)) }}
	runs[0]()
	tape := uform.Strings(texts)
	for i, on := range receivers {
		runs = append(runs, func() {
			_, err := on.TextEncode(ctx, tape, arena, nil)
			keep(err)
		})
		encoded, err := on.TextEncode(ctx, tape, arena, nil)
		if err != nil {
			return row{}, err
		}
		least := 1.0
		for item, embedding := range encoded.Embeddings.All() {
			cosine := 0.0
			for c, v := range embedding {
				other := want[item*s.width+c]
				cosine += float64(v) * float64(other)
				if kinds[i] == uform.F32 && math.Abs(float64(v-other)) > 1e-4 {
					return row{}, fmt.Errorf("item %d, column %d: %v where ONNX Runtime has %v", item, c, v, other)
				}
			}
			least = min(least, cosine)
		}
		r.cosine = append(r.cosine, least)
	}
	var operations float64
	runs = append(runs, func() { operations = peak.Operations(20000) })
	spent := alternate(threads, rounds, 20*time.Millisecond, runs)
	last := len(spent) - 1
	for _, seconds := range spent[:last] {
		r.spent = append(r.spent, seconds)
		r.fraction = append(r.fraction, s.operations(texts)/seconds/(operations/spent[last]*float64(threads)))
	}
	return r, failed
}
