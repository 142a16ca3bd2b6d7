package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// compilers are the C compilers of the second proof, as far as they are installed: one for each
// data model and processor that the binding supports.
var compilers = []string{
	"gcc", "i686-linux-gnu-gcc", "aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc", "riscv64-linux-gnu-gcc",
	"x86_64-w64-mingw32-gcc", "i686-w64-mingw32-gcc",
}

// modelOf returns the column of the table that a compiler must agree with, by the machine that it
// compiles for.
func modelOf(machine string) (int, error) {
	processor, _, _ := strings.Cut(machine, "-")
	windows := strings.Contains(machine, "mingw") || strings.Contains(machine, "windows")
	switch {
	case strings.Contains(processor, "64") && windows:
		return 1, nil
	case strings.Contains(processor, "64") || processor == "s390x":
		return 0, nil
	case strings.HasPrefix(processor, "arm"), processor == "i686" && windows:
		return 3, nil
	case len(processor) == 4 && processor[0] == 'i' && strings.HasSuffix(processor, "86") && !windows:
		return 2, nil
	}
	return 0, fmt.Errorf("no data model is known for the machine %s", machine)
}

// probeText returns a C file whose assembly lists every size, offset and width of the rows, each
// after a marker and as a decimal number. Nothing has to be linked or run.
func probeText(rows []Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#include %q\nvoid probe(void) {\n", headerName)
	state := func(row Row, what, expression string) {
		fmt.Fprintf(&b, "__asm__ volatile(\"\\nPROBE %s %s %%c0\\n\" : : \"i\"((int)%s));\n", row.Name(), what, expression)
	}
	for _, row := range rows {
		if row.Field == "" {
			state(row, "width", "sizeof("+row.Struct+")")
			continue
		}
		state(row, "offset", "offsetof("+row.Struct+", "+row.Field+")")
		state(row, "width", "sizeof((("+row.Struct+" *)0)->"+row.Field+")")
	}
	b.WriteString("}\n")
	return b.String()
}

// probeLine matches one number in the assembly. Some assemblers mark a constant with a sign of
// their own.
var probeLine = regexp.MustCompile(`(?m)^PROBE (\S+) (offset|width) [#$]*(\d+)\s*$`)

// readProbe reads the numbers from an assembly listing into rows of the same order, the extent in
// the first column.
func readProbe(rows []Row, assembly string) ([]Row, error) {
	answers := map[string]int64{}
	for _, line := range probeLine.FindAllStringSubmatch(assembly, -1) {
		number, err := strconv.ParseInt(line[3], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", line[2], line[1], err)
		}
		answers[line[1]+" "+line[2]] = number
	}
	measured := make([]Row, len(rows))
	for i, row := range rows {
		width, answered := answers[row.Name()+" width"]
		offset, placed := answers[row.Name()+" offset"]
		if !answered || !placed && row.Field != "" {
			return nil, fmt.Errorf("%s: the compiler printed no number", row.Name())
		}
		measured[i] = Row{Struct: row.Struct, Field: row.Field, Columns: [4]Extent{{offset, width}}}
	}
	return measured, nil
}

// probe compiles the header in a directory with one compiler, and returns the compiler's machine
// and its rows.
func probe(compiler, directory string, rows []Row, flags ...string) (machine string, measured []Row, err error) {
	said, err := exec.Command(compiler, "-dumpmachine").Output()
	if err != nil {
		return "", nil, fmt.Errorf("%s -dumpmachine: %w", compiler, err)
	}
	machine = strings.TrimSpace(string(said))
	// Freestanding, so that a compiler needs no C library for its target.
	arguments := append([]string{"-std=gnu11", "-ffreestanding", "-O0", "-S", "-x", "c", "-I", directory, "-o", "-", "-"}, flags...)
	command := exec.Command(compiler, arguments...)
	command.Stdin = strings.NewReader(probeText(rows))
	var assembly, complaint bytes.Buffer
	command.Stdout, command.Stderr = &assembly, &complaint
	if err := command.Run(); err != nil {
		return machine, nil, fmt.Errorf("%s: %w: %s", compiler, err, strings.TrimSpace(complaint.String()))
	}
	measured, err = readProbe(rows, assembly.String())
	if err != nil {
		return machine, nil, fmt.Errorf("%s: %w", compiler, err)
	}
	return machine, measured, nil
}

// compare reports every fact in which a compiler differs from its column of the table, and refuses
// padding in what the compiler measured, also where the table agrees.
func compare(table, measured []Row, machine string) error {
	model, err := modelOf(machine)
	if err != nil {
		return err
	}
	var problems []error
	for i, row := range table {
		want, got := row.Columns[model], measured[i].Columns[0]
		switch {
		case measured[i].Name() != row.Name():
			problems = append(problems, fmt.Errorf("%s: the compiler measured other rows, %s", row.Name(), measured[i].Name()))
		case want.Offset != got.Offset:
			problems = append(problems, fmt.Errorf("%s: offset %d for %s, %d in the table", row.Name(), got.Offset, machine, want.Offset))
		case want.Width != got.Width:
			problems = append(problems, fmt.Errorf("%s: width %d for %s, %d in the table", row.Name(), got.Width, machine, want.Width))
		}
	}
	return errors.Join(append(problems, checkRows(measured, machine, columns[model].Word))...)
}

// probeHeader is probe for the texts of a header.
func probeHeader(compiler string, headers Headers, rows []Row, flags ...string) (machine string, measured []Row, err error) {
	directory, err := os.MkdirTemp("", "abigen")
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	for name, text := range headers {
		path := filepath.Join(directory, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			return "", nil, err
		}
	}
	return probe(compiler, directory, rows, flags...)
}
