// Table runs the benchmarks of ci/bench and prints their medians as Markdown, or writes them into a
// page between the lines
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
	binaries := make(map[string]string)
	for _, form := range forms {
		binaries[form.name] = filepath.Join(folder, "bench"+form.name+".test")
		build := exec.Command("go", "test", "-c", "-tags", form.tags, "-o", binaries[form.name], ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=1")
		if said, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build the benchmarks, in ci/bench and with a C compiler: %w\n%s", err, said)
		}
	}
	all := make(samples)
	for round := range rounds {
		for _, batch := range batches {
			fmt.Fprintf(os.Stderr, "round %d of %d: %s%s\n", round+1, rounds, batch.form, batch.pattern)
			// Each runs in a process of its own, since the threads and the heap of a benchmark
			// stay.
			said, err := exec.Command(binaries[batch.form], "-test.run=^$", "-test.bench="+batch.pattern, "-test.benchtime="+batch.time).CombinedOutput()
			if err != nil {
				return fmt.Errorf("run %s%s: %w\n%s", batch.form, batch.pattern, err, said)
			}
			if err := all.read(batch.form, string(said)); err != nil {
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

// portable is the form of the benchmarks in which verbs are called by purego.SyscallN.
const portable = "Portable"

// forms are the builds of the benchmarks.
var forms = []struct{ name, tags string }{{"", ""}, {portable, "uform_portable"}}

// batches are the benchmarks that one process of a form runs, and their duration.
var batches = []struct{ form, pattern, time string }{
	{"", "Blocking", "50ms"},
	{portable, "Blocking", "50ms"},
	{"", "DeferredWaiter", "1x"},
	{"", "DeferredCallback", "1x"},
	{"", "DeferredThread", "1x"},
	{"", "PoolEngine", "200ms"},
	{"", "PoolNative", "200ms"},
}
