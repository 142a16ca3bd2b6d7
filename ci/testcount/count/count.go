// Package count runs `go test -json`, prints what failed and counts the rest.
package count

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Event is a line of go test -json, with the fields that are used here.
type Event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// Counts are the results of tests.
type Counts struct{ Passed, Failed, Skipped int }

// ErrNone is the error of a run without any test, which proves nothing.
var ErrNone = errors.New("no test ran")

// Run starts a go command with -json and waits for it. Failed and skipped tests are written to out
// with their output, and packages with their time. Every event is also passed to each, if it is not
// nil. If a test fails, Run returns the command's error.
func Run(command *exec.Cmd, out io.Writer, each func(Event)) (Counts, error) {
	pipe, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return Counts{}, err
	}
	r := reader{printed: make(map[string][]string), out: out, each: each}
	read := r.read(pipe)
	if err := command.Wait(); err != nil {
		return r.Counts, fmt.Errorf("go test: %w", err)
	}
	if read == nil && r.Passed+r.Failed == 0 {
		read = ErrNone
	}
	return r.Counts, read
}

// reader counts tests, and keeps the output of the unfinished ones.
type reader struct {
	Counts
	printed map[string][]string
	out     io.Writer
	each    func(Event)
}

func (r *reader) read(events io.Reader) error {
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var event Event
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			fmt.Fprintln(r.out, lines.Text())
			continue
		}
		r.take(event)
		if r.each != nil {
			r.each(event)
		}
	}
	return lines.Err()
}

func (r *reader) take(event Event) {
	key := event.Package + " " + event.Test
	switch event.Action {
	case "output":
		r.printed[key] = append(r.printed[key], event.Output)
	case "build-output":
		fmt.Fprint(r.out, event.Output)
	case "pass", "skip", "fail":
		r.end(event, r.printed[key])
		delete(r.printed, key)
	}
}

// end counts a test, and prints the output of a package or a failed test.
func (r *reader) end(event Event, printed []string) {
	if event.Test == "" {
		if event.Action != "skip" {
			fmt.Fprintf(r.out, "%-5s%7.1fs  %s\n", event.Action, event.Elapsed, event.Package)
		}
		if event.Action != "fail" {
			return
		}
	}
	if event.Action == "fail" {
		fmt.Fprint(r.out, strings.Join(printed, ""))
	}
	switch {
	case event.Test == "":
	case event.Action == "pass":
		r.Passed++
	case event.Action == "fail":
		r.Failed++
	default:
		r.Skipped++
		fmt.Fprintf(r.out, "skip %s %s: %s", event.Package, event.Test, strings.Join(printed, ""))
	}
}
