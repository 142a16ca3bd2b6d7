// Encoder measures the embedded engine beside other people's: whole encoders beside ONNX Runtime, with the same weights and the
// same embeddings, and products beside OpenBLAS and gonum. It prints tables, or writes them and a chart into a page between
// the lines
//
//	<!-- bench:engine -->
//	<!-- /bench:engine -->
//
// Run it in ci/bench, on Linux:
//
//	go run ./encoder -ort "$(bash onnxruntime.sh)" -write ../../README.md
//
// With -growth it prints how time and memory grow with the batch and with the length instead, with -serving how many small
// calls are served, and with -decoding what files cost beside FFmpeg.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"
)

var ctx = context.Background()

func main() {
	ort := flag.String("ort", "", "ONNX Runtime's shared library")
	blas := flag.String("blas", "libopenblas.so.0", "OpenBLAS's shared library")
	rounds := flag.Int("n", 5, "rounds, of which each has every competitor once")
	page := flag.String("write", "", "the page to write the tables into; empty prints them")
	growing := flag.Bool("growth", false, "measure growth instead")
	served := flag.Bool("serving", false, "measure serving instead")
	only := flag.String("only", "", "print the encoders alone whose line, \"12 × 768 | 1 × 64 | 1\", this matches")
	bare := flag.Bool("products", false, "print the table of products alone")
	decodes := flag.Bool("decoding", false, "measure decoders instead")
	holding := flag.String("memory", "", "run one encoder, ours or onnx, and print the memory that the process had at most")
	flag.Parse()
	var err error
	switch {
	case *holding != "":
		err = hold(*holding, *ort)
	case *growing:
		err = growth(os.Stdout)
	case *only != "":
		var rows []row
		var chosen *regexp.Regexp
		if chosen, err = regexp.Compile(*only); err == nil {
			if rows, err = encoders(*ort, *rounds, chosen); err == nil {
				writeEncoders(os.Stdout, rows)
			}
		}
	case *bare:
		var measured []product
		if measured, err = products(*blas, *rounds); err == nil {
			writeProducts(os.Stdout, measured)
		}
	case *decodes:
		err = decoding(os.Stdout)
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

func compare(ort, blas string, rounds int, page string) error {
	rows, err := encoders(ort, rounds, regexp.MustCompile(""))
	if err != nil {
		return err
	}
	products, err := products(blas, rounds)
	if err != nil {
		return err
	}
	memory, err := memories(ort)
	if err != nil {
		return err
	}
	var report strings.Builder
	fmt.Fprintf(&report, "Medians of %d interleaved runs, of processor time on one thread and of the clock on two, on %s, %d cores, %s/%s, %s, %s. Memory is what a process had at most, in %s of 16 × 128: %s.\n\n",
		rounds, processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), time.Now().Format(time.DateOnly), held, memory)
	writeEncoders(&report, rows)
	report.WriteString("\n")
	writeProducts(&report, products)
	if page == "" {
		fmt.Print(report.String())
		return nil
	}
	return write(page, report.String(), chart(rows))
}
