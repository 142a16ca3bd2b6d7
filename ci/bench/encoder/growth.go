package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/internal/model/modeltest"
	"github.com/unum-cloud/uform-go/uform"
)

// growth prints how time and memory grow with the number of short texts in a batch, and with the
// length of one text.
func growth(out io.Writer) error {
	config := &model.Config{
		Modalities: []string{"text"}, Context: 1 << 15, Width: 64, Layers: 2, Heads: 1, Hidden: 256, Columns: 64, NormEpsilon: 1e-6, RotaryBase: 10000,
	}
	file, err := modeltest.Checkpoint(rand.New(rand.NewPCG(1, 1)), config)
	if err != nil {
		return err
	}
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return err
	}
	loaded, err := library.LoadBytes(ctx, file, nil)
	if err != nil {
		return err
	}
	g := &grower{out: out, library: library, model: loaded}
	fmt.Fprintf(out, "| texts of 40 bytes | seconds | each | scratch |\n| --: | --: | --: | --: |\n")
	for count := 1; count <= 100_000; count *= 10 {
		if err := g.measure(count, 40, count); err != nil {
			return err
		}
	}
	g.fit("texts", 1)
	fmt.Fprintf(out, "\n| bytes of one text | seconds | each | scratch |\n| --: | --: | --: | --: |\n")
	for length := 16; length <= 1<<15; length *= 2 {
		if err := g.measure(1, length, length); err != nil {
			return err
		}
	}
	linear, quadratic := parabola(g.sizes, g.seconds)
	fmt.Fprintf(out, "\nTime of n bytes fits n · %.2f µs + n² · %.3f ns, within %.0f %%: the attention alone is quadratic, and half of the work at %.0f bytes.\n",
		1e6*linear, 1e9*quadratic, 100*astray(g.sizes, g.seconds, linear, quadratic), linear/quadratic)
	return nil
}

type grower struct {
	out     io.Writer
	library *uform.Library
	model   *uform.Model
	sizes   []float64
	seconds []float64
}

// measure encodes count texts of a length on an executor and in an arena of their own, and returns
// the shortest of three times.
func (g *grower) measure(count, length, size int) error {
	executor, err := g.library.NewExecutor(&uform.ExecutorOptions{Threads: 1, WithCaller: true})
	if err != nil {
		return err
	}
	defer executor.Close()
	arena, err := g.library.NewArena(executor)
	if err != nil {
		return err
	}
	defer arena.Close()
	tape := uform.Bytes(repeated(bytes.Repeat([]byte("a word "), length)[:length], count))
	least := math.Inf(1)
	for range 3 {
		begin := seconds(1)
		if _, err := g.model.On(executor).TextEncode(ctx, tape, arena, nil); err != nil {
			return err
		}
		least = min(least, seconds(1)-begin)
	}
	described, err := executor.Describe()
	if err != nil {
		return err
	}
	g.sizes, g.seconds = append(g.sizes, float64(size)), append(g.seconds, least)
	fmt.Fprintf(g.out, "| %d | %.6f | %.2f µs | %.2f MB |\n", size, least, 1e6*least/float64(size),
		float64(described.ScratchBytes)/1e6)
	runtime.GC()
	return nil
}

func repeated(text []byte, count int) [][]byte {
	texts := make([][]byte, count)
	for i := range texts {
		texts[i] = text
	}
	return texts
}

// fit prints the exponent of time as a power of the size, by least squares of the logarithms over
// sizes from least on: 1 is linear.
func (g *grower) fit(what string, least float64) {
	var n, x, y, xx, xy float64
	for i, size := range g.sizes {
		if size >= least {
			a, b := math.Log(size), math.Log(g.seconds[i])
			n, x, y, xx, xy = n+1, x+a, y+b, xx+a*a, xy+a*b
		}
	}
	fmt.Fprintf(g.out, "\nTime grows as the power %.2f of the %s.\n", (n*xy-x*y)/(n*xx-x*x), what)
	g.sizes, g.seconds = nil, nil
}

// parabola fits seconds to linear·n + quadratic·n² by least squares of the relative errors: short
// texts count like long ones.
func parabola(sizes, seconds []float64) (linear, quadratic float64) {
	var aa, ab, bb, a1, b1 float64
	for i, n := range sizes {
		a, b := n/seconds[i], n*n/seconds[i]
		aa, ab, bb, a1, b1 = aa+a*a, ab+a*b, bb+b*b, a1+a, b1+b
	}
	determinant := aa*bb - ab*ab
	return (a1*bb - b1*ab) / determinant, (b1*aa - a1*ab) / determinant
}

// astray returns the largest relative error of a fit.
func astray(sizes, seconds []float64, linear, quadratic float64) float64 {
	most := 0.0
	for i, n := range sizes {
		most = max(most, math.Abs((linear*n+quadratic*n*n)/seconds[i]-1))
	}
	return most
}
