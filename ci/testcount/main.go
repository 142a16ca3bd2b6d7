package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// event is a line of go test -json, as far as it matters here.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// counts are the results of tests, and what the unfinished ones have printed so far.
type counts struct {
	passed, failed, skipped int
	printed                 map[string][]string
	out                     io.Writer
}

func main() {
	arguments := []string{"test", "-json"}
	rest := os.Args[1:]
	if len(rest) > 1 && rest[0] == "-C" {
		// The go command wants this flag before all others.
		arguments, rest = []string{"test", rest[0], rest[1], "-json"}, rest[2:]
	}
	command := exec.Command("go", append(arguments, rest...)...)
	command.Stderr = os.Stderr
	pipe, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := counts{printed: make(map[string][]string), out: os.Stdout}
	read := c.read(pipe)
	status := command.Wait()
	fmt.Printf("%d passed, %d failed, %d skipped\n", c.passed, c.failed, c.skipped)
	if read != nil || status != nil {
		fmt.Fprintln(os.Stderr, "go test:", status, read)
		os.Exit(1)
	}
	if c.passed+c.failed == 0 {
		fmt.Fprintln(os.Stderr, "no test ran")
		os.Exit(1)
	}
}

func (c *counts) read(events io.Reader) error {
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(c.out, lines.Text())
			continue
		}
		c.take(e)
	}
	return lines.Err()
}

func (c *counts) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		c.printed[key] = append(c.printed[key], e.Output)
	case "build-output":
		fmt.Fprint(c.out, e.Output)
	case "pass", "skip", "fail":
		c.end(e, c.printed[key])
		delete(c.printed, key)
	}
}

// end counts a test, and prints what a package or a failed test has said.
func (c *counts) end(e event, printed []string) {
	if e.Test == "" {
		if e.Action != "skip" {
			fmt.Fprintf(c.out, "%-5s%7.1fs  %s\n", e.Action, e.Elapsed, e.Package)
		}
		if e.Action != "fail" {
			return
		}
	}
	if e.Action == "fail" {
		fmt.Fprint(c.out, strings.Join(printed, ""))
	}
	switch {
	case e.Test == "":
	case e.Action == "pass":
		c.passed++
	case e.Action == "fail":
		c.failed++
	default:
		c.skipped++
		fmt.Fprintf(c.out, "skip %s %s: %s", e.Package, e.Test, strings.Join(printed, ""))
	}
}
