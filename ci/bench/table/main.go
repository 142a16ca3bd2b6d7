// Table runs the benchmarks of ci/bench and prints their medians as Markdown, or writes them into a page between the lines
//
//	<!-- bench:binding -->
//	<!-- /bench:binding -->
//
// Run it in ci/bench:
//
//	go run ./table -write ../../docs/benchmarks.md
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func main() {
	rounds := flag.Int("n", 5, "how often to run every benchmark")
	page := flag.String("write", "", "the page to write the table into; empty prints it")
	flag.Parse()
	if err := run(*rounds, *page); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(rounds int, page string) error {
	folder, err := os.MkdirTemp("", "uform-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	binary := filepath.Join(folder, "bench.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the benchmarks, in ci/bench and with a C compiler: %w\n%s", err, said)
	}
	all := make(samples)
	for round := range rounds {
		for _, batch := range batches {
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, rounds, batch.pattern)
			// A process for each, as threads that one has made stay, and its heap does.
			said, err := exec.Command(binary, "-test.run=^$", "-test.bench="+batch.pattern, "-test.benchtime="+batch.time).CombinedOutput()
			if err != nil {
				return fmt.Errorf("run %s: %w\n%s", batch.pattern, err, said)
			}
			if err := all.read(string(said)); err != nil {
				return err
			}
		}
	}
	table, err := render(all, here(rounds, time.Now()))
	if err != nil {
		return err
	}
	if page == "" {
		fmt.Print(table)
		return nil
	}
	before, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	after, err := insert(string(before), table)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(after), 0o644)
}

// batches are what one process measures, and how long each benchmark in it takes.
var batches = []struct{ pattern, time string }{
	{"Blocking", "50ms"},
	{"DeferredWaiter", "1x"},
	{"DeferredCallback", "1x"},
	{"DeferredThread", "1x"},
	{"PoolEngine", "200ms"},
	{"PoolNative", "200ms"},
}
