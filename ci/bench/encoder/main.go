// Encoder compares the embedded engine with other software: whole encoders with ONNX Runtime, with
// the same weights and the same embeddings, and products with OpenBLAS, gonum and GoMLX. It prints
// tables, or writes them and a chart into a page, encoders and parts each between two lines of
// their own:
//
//	<!-- bench:engine -->
//	<!-- /bench:engine -->
//	<!-- bench:parts -->
//	<!-- /bench:parts -->
//	<!-- bench:folders -->
//	<!-- /bench:folders -->
//
// Run it in ci/bench, on Linux:
//
//	go run ./encoder -ort "$(bash onnxruntime.sh)" -write ../../docs/benchmarks.md
//
// With -folders it measures all-MiniLM-L6-v2 alone, from the folder where ci/models.sh put it,
// beside ONNX Runtime with the model's own files in f32 and in bytes, and hugot with its backend in
// pure Go. The engine and hugot get texts, ONNX Runtime ids, and the mean of its rows is computed
// here. Loading and memory are measured in processes of their own.
//
// With -beside TITLE=COMMAND, once or more, it measures that model beside programs such as
// ci/bench/candle and ci/bench/llama, and writes a table between lines of its own:
//
//	<!-- bench:beside -->
//	<!-- /bench:beside -->
//
// With -held, the library that a C compiler makes of testdata/avx2.c (gcc -shared -fPIC), and
// UFORM_KERNEL=avx2, it measures what a processor with AVX2 alone would run, on one thread:
// -folders then writes the table folders-avx2, and -only the table engine-avx2.
//
// With -media, and the folder that media.sh prints, it measures decoders beside those programs and
// FFmpeg, which also makes the files, and writes a table between lines of its own:
//
//	<!-- bench:media -->
//	<!-- /bench:media -->
//
// With -parts it measures all except the encoders and decoders, and with -products, -serving,
// -growth or -hosts it prints one of the tables alone. UFORM_LIBRARY names a shared library to
// serve as well. OpenBLAS is Debian's libopenblas0.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/unum-cloud/uform-go/ci/bench/onnx"
)

var ctx = context.Background()

// narrow is whether ONNX Runtime sees a processor with AVX2 alone.
var narrow bool

func main() {
	ort := flag.String("ort", "", "ONNX Runtime's shared library")
	blas := flag.String("blas", "libopenblas.so.0", "OpenBLAS's shared library")
	rounds := flag.Int("n", 5, "rounds, of which each has every competitor once")
	page := flag.String("write", "", "the page to write the tables into; empty prints them")
	partly := flag.Bool("parts", false, "measure the parts alone")
	growing := flag.Bool("growth", false, "measure growth instead")
	crowd := flag.Bool("hosts", false, "measure the scheduling alone, on as many threads as large hosts have, instead")
	served := flag.Bool("serving", false, "measure serving instead")
	only := flag.String("only", "", "print the encoders alone whose line, \"12 × 768 | 1 × 64 | 1\", this matches")
	bare := flag.Bool("products", false, "print the table of products alone")
	media := flag.String("media", "", "measure decoders instead, beside those of the folder that media.sh prints")
	folders := flag.Bool("folders", false, "measure all-MiniLM-L6-v2 from its folder instead")
	var peers []string
	flag.Func("beside", "measure all-MiniLM-L6-v2 from its folder beside this `TITLE=COMMAND` instead, as ci/bench/candle describes it; may be given again", func(peer string) error {
		peers = append(peers, peer)
		return nil
	})
	way := flag.String("hold", "", "load and run it once, as f32, bf16, i8, onnx-f32 or onnx-int8, and print the seconds of loading and the memory that the process had at most")
	holding := flag.String("memory", "", "run one encoder, ours or onnx, and print the memory that the process had at most")
	shim := flag.String("held", "", "the library of testdata/avx2.c, which holds ONNX Runtime to AVX2, as UFORM_KERNEL=avx2 holds the engine; measures on one thread")
	flag.Parse()
	var err error
	if *shim != "" {
		err = onnx.HoldToAVX2(*shim)
		narrow = true
	}
	switch {
	case err != nil:
	case *holding != "":
		err = hold(*holding, *ort)
	case *way != "":
		err = holdFolder(*way, *ort)
	case len(peers) > 0:
		err = compareBeside(peers, *rounds, *page)
	case *folders:
		err = compareFolders(*ort, *rounds, *page)
	case *growing:
		err = growth(os.Stdout)
	case *crowd:
		err = hosts(os.Stdout)
	case *only != "":
		var rows []row
		var chosen *regexp.Regexp
		if chosen, err = regexp.Compile(*only); err == nil {
			if rows, err = encoders(*ort, *rounds, chosen); err == nil {
				var report strings.Builder
				fmt.Fprintf(&report, "Medians of %d interleaved runs, of processor time on one thread, on %s.\n\n", *rounds, machine())
				writeEncoders(&report, rows)
				err = put(*page, tableName("engine"), report.String())
			}
		}
	case *partly:
		err = compareParts(*blas, *rounds, *page)
	case *bare:
		var measured []product
		if measured, err = products(*blas, *rounds); err == nil {
			writeProducts(os.Stdout, measured)
		}
	case *media != "":
		err = compareMedia(*media, *rounds, *page)
	case *served:
		err = serving(os.Stdout)
	default:
		err = compare(*ort, *blas, *rounds, *page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "encoder:", err)
		os.Exit(1)
	}
}

// compare measures whole encoders, and then their parts. It writes each as soon as it is complete.
func compare(ort, blas string, rounds int, page string) error {
	// What the last table needs is asked for before the first takes its minutes.
	if _, err := openBLAS(blas); err != nil {
		return err
	}
	rows, err := encoders(ort, rounds, regexp.MustCompile(""))
	if err != nil {
		return err
	}
	memory, err := memories(ort)
	if err != nil {
		return err
	}
	var report strings.Builder
	fmt.Fprintf(&report, "Medians of %d interleaved runs, of processor time on one thread and of the clock on two, on %s. Memory is what a process had at most, in %s of 16 × 128: %s.\n\n",
		rounds, machine(), held, memory)
	writeEncoders(&report, rows)
	if err := put(page, "engine", report.String()); err != nil {
		return err
	}
	if page != "" {
		if err := writeChart(page, picture, chart("times as fast as ONNX Runtime, one thread", encoderBars(rows))); err != nil {
			return err
		}
	}
	return compareParts(blas, rounds, page)
}

func compareParts(blas string, rounds int, page string) error {
	report, err := parts(blas, rounds)
	if err != nil {
		return err
	}
	return put(page, "parts", report)
}

// tableName returns the name of a table on the page.
func tableName(name string) string {
	if narrow {
		return name + "-avx2"
	}
	return name
}

// put writes a report into a page, or prints it.
func put(page, name, report string) error {
	if page == "" {
		fmt.Print(report)
		return nil
	}
	return write(page, name, report)
}
