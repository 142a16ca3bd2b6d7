package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"
)

// The lines before and after the table.
const (
	opening = "<!-- bench:binding -->\n"
	closing = "<!-- /bench:binding -->"
)

// here returns the line that says what was measured where and when.
func here(rounds int, now time.Time) string {
	return fmt.Sprintf("Medians of %d interleaved runs on %s, %d cores, %s/%s, %s, %s.",
		rounds, processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), now.Format(time.DateOnly))
}

// processor returns the system's name of the processor, or its architecture.
func processor() string {
	told, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(told)) {
			if key, name, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(name)
			}
		}
	}
	return runtime.GOARCH
}

// insert replaces the text between the two lines of page by table.
func insert(page, table string) (string, error) {
	before, rest, opened := strings.Cut(page, opening)
	_, after, closed := strings.Cut(rest, closing)
	if !opened || !closed {
		return "", errors.New("the page has no lines " + strings.TrimSpace(opening) + " and " + closing)
	}
	return before + opening + table + closing + after, nil
}

// writer collects lines, and the name of the first missing value.
type writer struct {
	strings.Builder
	samples samples
	missing error
}

func (w *writer) row(cells ...string) { w.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

func (w *writer) value(name, unit string) float64 {
	value, err := w.samples.median(name, unit)
	if err != nil && w.missing == nil {
		w.missing = err
	}
	return value
}

func render(all samples, heading string) (string, error) {
	w := &writer{samples: all}
	w.WriteString(heading + "\n\n")
	w.blocking()
	w.WriteString("\n")
	w.deferred()
	w.WriteString("\n")
	w.pool()
	return w.String(), w.missing
}

// blocking is in processor time, which a busy machine distorts less than the clock.
func (w *writer) blocking() {
	w.row("a blocking call, processor time", "no work", "`arena_describe`", "`text_encode` of nothing", "allocations")
	w.row("---", "--:", "--:", "--:", "--:")
	for _, way := range []struct{ title, form, name string }{
		{"a loop in C", "", "loop-in-C"},
		{"**the table**", "", "table"},
		{"cgo", "", "cgo"},
		{"`purego.SyscallN`", "", "SyscallN"},
		{"the table, `uform_portable`", portable, "table"},
	} {
		cells := []string{way.title}
		for _, verb := range []string{"Nothing", "Describe", "Encode"} {
			cells = append(cells, nanoseconds(w.value(way.form+"Blocking"+verb+"/"+way.name, "cpu-ns/op")))
		}
		w.row(append(cells, count(w.value(way.form+"BlockingNothing/"+way.name, "allocs/op")))...)
	}
	w.row("`Model.TextEncode`, with its checks", "", "", nanoseconds(w.value("BlockingModel", "cpu-ns/op")), count(w.value("BlockingModel", "allocs/op")))
}

func (w *writer) deferred() {
	w.row("deferred calls: final to heard, median · 99 % · of a core · threads", "1 in flight, 1 ms each", "64 in flight, 10 ms each", "10,000 in flight, 1 s each")
	w.row("---", "--:", "--:", "--:")
	for _, way := range []struct{ title, name string }{
		{"**one waiter for all**", "Waiter"},
		{"a callback from C", "Callback"},
		{"a thread for each, Go's limit of 10,000 raised", "Thread"},
	} {
		cells := []string{way.title}
		for _, load := range []string{"1", "64", "10000"} {
			name := "Deferred" + way.name + "/" + load
			cells = append(cells, fmt.Sprintf("%s · %s · %.0f %% · %s",
				microseconds(w.value(name, "p50-us")), microseconds(w.value(name, "p99-us")), w.value(name, "cpu-share"), count(w.value(name, "threads"))))
		}
		w.row(cells...)
	}
}

func (w *writer) pool() {
	w.row("a Pool of the model `mini`, texts a second", "1 goroutine", "10 goroutines", "100 goroutines", "processor time of one")
	w.row("---", "--:", "--:", "--:", "--:")
	for _, way := range []struct{ title, name string }{{"the embedded engine", "Engine"}, {"the C library", "Native"}} {
		cells := []string{way.title}
		for _, goroutines := range []string{"1", "10", "100"} {
			cells = append(cells, count(w.value("Pool"+way.name+"/"+goroutines, "calls/s")))
		}
		w.row(append(cells, microseconds(w.value("Pool"+way.name+"/10", "cpu-ns/op")/1000))...)
	}
}

func nanoseconds(value float64) string {
	if value < 10 {
		return fmt.Sprintf("%.1f ns", value)
	}
	return count(value) + " ns"
}

func microseconds(value float64) string {
	switch {
	case value < 1e3:
		return fmt.Sprintf("%.0f µs", value)
	case value < 1e6:
		return fmt.Sprintf("%.1f ms", value/1e3)
	}
	return fmt.Sprintf("%.1f s", value/1e6)
}

// count returns a whole number, in groups of three digits.
func count(value float64) string {
	digits := fmt.Sprintf("%.0f", math.Abs(value))
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
