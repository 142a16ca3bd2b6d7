//go:build linux

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// toolchain returns the folder of the Go toolchain that builds.
func toolchain() (string, error) {
	said, err := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(said)), err
}

// example runs the encode example under Node, and compares its vectors with those that this machine
// computes.
func (w *workshop) example(p *platform, environment []string) (verdict, string, error) {
	here, err := w.encode(append(os.Environ(), "UFORM_LIBRARY=embedded"))
	if err != nil {
		return verdict{}, "", err
	}
	script := slices.Clone(p.script)
	if last := &script[len(script)-1]; strings.HasPrefix(*last, "lib/") {
		root, err := toolchain()
		if err != nil {
			return verdict{}, "", err
		}
		*last = filepath.Join(root, *last)
	}
	there, err := w.encode(environment, script...)
	if err != nil {
		return verdict{}, "", err
	}
	if len(here) == 0 || len(here) != len(there) {
		return verdict{}, "", fmt.Errorf("%d numbers where this machine has %d", len(there), len(here))
	}
	for i := range here {
		if !(math.Abs(here[i]-there[i]) <= 1e-5) {
			return verdict{}, "", fmt.Errorf("number %d is %g, and %g on this machine", i, there[i], here[i])
		}
	}
	return verdict{executed, not}, "the example encode says what it says here", nil
}

// encode builds the example in an environment, gives it two lines, and returns the numbers that it
// prints.
func (w *workshop) encode(environment []string, launcher ...string) ([]float64, error) {
	program := filepath.Join(w.folder, "encode")
	build := exec.Command("go", "build", "-o", program, "./examples/encode")
	build.Dir, build.Env = w.module, environment
	if said, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, said)
	}
	command := append(launcher, program, "-format", "tsv")
	run := exec.Command(command[0], command[1:]...)
	run.Dir, run.Env = w.module, environment
	run.Stdin = strings.NewReader("a cat\na dog\n")
	var said bytes.Buffer
	run.Stderr = &said
	printed, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, said.Bytes())
	}
	var numbers []float64
	for _, field := range strings.Fields(string(printed)) {
		number, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}
