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

// Event is a line of go test -json, as far as it matters here.
type Event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// Counts are the results of tests.
type Counts struct{ Passed, Failed, Skipped int }

// ErrNone is the error of a run without a single test, which proves nothing.
var ErrNone = errors.New("no test ran")

// Run starts a go command that was given -json and waits for it. What failed or was skipped goes to
// out with all that it printed, and packages with what they took. Every event goes to each, too,
// where that is not nil. A failed test makes an error of the command's.
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

// reader counts, and keeps what the unfinished tests have printed so far.
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

// end counts a test, and prints what a package or a failed test has said.
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
