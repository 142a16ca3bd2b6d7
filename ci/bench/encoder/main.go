// Encoder measures whole encoders of texts, beside ONNX Runtime.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/unum-cloud/uform-go/ci/bench/onnx"
	"github.com/unum-cloud/uform-go/ci/bench/peak"
	"github.com/unum-cloud/uform-go/uform"
)

var ctx = context.Background()

func main() {
	ort := flag.String("ort", "", "")
	threads := flag.String("t", "1", "")
	rounds := flag.Int("n", 5, "")
	shapes := flag.String("shapes", "6x384,12x384,12x768", "")
	loads := flag.String("loads", "1x16,1x64,1x256,1x1024,1x2048,16x128,64x32,64x128r", "")
	kinds := flag.String("kinds", "f32,bf16", "")
	flag.Parse()
	runtime.LockOSThread()
	rt, err := onnx.Open(*ort)
	check(err)
	lib, err := uform.Open(&uform.OpenOptions{Embedded: true})
	check(err)
	for _, name := range strings.Split(*shapes, ",") {
		var s shape
		fmt.Sscanf(name, "%dx%d", &s.layers, &s.width)
		weights, file, err := s.checkpoint()
		check(err)
		for _, ts := range strings.Split(*threads, ",") {
			t, _ := strconv.Atoi(ts)
			ex, err := lib.NewExecutor(&uform.ExecutorOptions{Threads: t, WithCaller: true})
			check(err)
			arena, err := lib.NewArena(ex)
			check(err)
			plain, err := rt.NewSession(onnx.Graph(s.config(), weights, longest, false), t, false)
			check(err)
			masked, err := rt.NewSession(onnx.Graph(s.config(), weights, longest, true), t, true)
			check(err)
			var models []uform.On
			ks := strings.Split(*kinds, ",")
			for _, k := range ks {
				m, err := lib.LoadBytes(ctx, file, &uform.LoadOptions{Scalar: map[string]uform.Scalar{"f32": uform.F32, "bf16": uform.BF16, "i8": uform.I8}[k]})
				check(err)
				models = append(models, m.On(ex))
			}
			for _, l := range strings.Split(*loads, ",") {
				var b, n int
				fmt.Sscanf(l, "%dx%d", &b, &n)
				ragged := strings.HasSuffix(l, "r")
				texts := batch(b, n, ragged)
				in := onnx.Pad(texts)
				session := plain
				if ragged {
					session = masked
				}
				want := make([]float32, b*s.width)
				check(session.Run(in, want))
				tape := uform.Strings(texts)
				runs := []func(){func() { check(session.Run(in, want)) }}
				diffs := ""
				for i, m := range models {
					runs = append(runs, func() {
						_, err := m.TextEncode(ctx, tape, arena, nil)
						check(err)
					})
					e, err := m.TextEncode(ctx, tape, arena, nil)
					check(err)
					var diff float64
					cos := 1.0
					for r, v := range e.Embeddings.All() {
						dot := 0.0
						for c := range v {
							diff = max(diff, math.Abs(float64(v[c]-want[r*s.width+c])))
							dot += float64(v[c]) * float64(want[r*s.width+c])
						}
						cos = min(cos, dot)
					}
					diffs += fmt.Sprintf(" %s diff %.1e cos %.6f", ks[i], diff, cos)
				}
				var ops float64
				runs = append(runs, func() { ops = peak.Operations(20000) })
				got := alternate(t, *rounds, 20*time.Millisecond, runs)
				pk := ops / got[len(got)-1] * float64(t)
				if t > 1 {
					pk = ops / got[len(got)-1] * float64(t)
				}
				fmt.Printf("%s t%d %-8s ort %8.2f ms (%3.0f%%)", s, t, l, got[0]*1e3, 100*s.operations(texts)/got[0]/pk)
				for i := range models {
					fmt.Printf(" | %s %8.2f ms (%3.0f%%) %.2fx", ks[i], got[i+1]*1e3, 100*s.operations(texts)/got[i+1]/pk, got[0]/got[i+1])
				}
				fmt.Println(" |", diffs)
			}
			plain.Close()
			masked.Close()
			arena.Close()
			ex.Close()
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
