//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// row is a line of the page's table.
type row struct {
	name, by string
	verdict
}

// The text between the two marks is generated.
const opening, closing = "<!-- platforms -->\n", "<!-- /platforms -->\n"

// table is the page's: what was executed in the order that it was, then what was compiled by what
// it can do.
func table(executed []row, compiled map[verdict][]string) string {
	var out strings.Builder
	out.WriteString("| platform | run by | embedded engine | shared libuform |\n| --- | --- | --- | --- |\n")
	for _, row := range executed {
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", row.name, row.by, row.engine, row.native)
	}
	verdicts := make([]verdict, 0, len(compiled))
	for v := range compiled {
		verdicts = append(verdicts, v)
	}
	slices.SortFunc(verdicts, func(a, b verdict) int { return strings.Compare(a.engine+a.native, b.engine+b.native) })
	for _, v := range verdicts {
		fmt.Fprintf(&out, "| %s | | %s | %s |\n", families(compiled[v]), v.engine, v.native)
	}
	return out.String()
}

// families returns targets with each system named once: "darwin/amd64, arm64; netbsd/386".
func families(targets []string) string {
	slices.Sort(targets)
	var out strings.Builder
	last := ""
	for _, target := range targets {
		system, processor, _ := strings.Cut(target, "/")
		switch {
		case system == last:
			out.WriteString(", " + processor)
		case last == "":
			out.WriteString(target)
		default:
			out.WriteString("; " + target)
		}
		last = system
	}
	return out.String()
}

// readTable returns the table of a page, with a row for each of the targets that share a line.
func readTable(path string) ([]row, error) {
	page, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(page), opening)
	written, _, closed := strings.Cut(rest, closing)
	if !closed {
		return nil, fmt.Errorf("%s: no %q and %q", path, opening, closing)
	}
	var rows []row
	for line := range strings.Lines(written) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		if len(cells) != 4 {
			return nil, fmt.Errorf("%s: a line of the table without four cells: %s", path, line)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		names := []string{cells[0]}
		if cells[1] == "" {
			names = members(cells[0])
		}
		for _, name := range names {
			rows = append(rows, row{name, cells[1], verdict{cells[2], cells[3]}})
		}
	}
	return rows, nil
}

// members returns the targets that families joined.
func members(joined string) (targets []string) {
	for family := range strings.SplitSeq(joined, "; ") {
		system, processors, _ := strings.Cut(family, "/")
		for processor := range strings.SplitSeq(processors, ", ") {
			targets = append(targets, system+"/"+processor)
		}
	}
	return targets
}

// compare returns an error if the table of a page differs from a run for some platforms.
func compare(path string, executed []row, compiled map[verdict][]string) error {
	stands, err := readTable(path)
	if err != nil {
		return err
	}
	ran := slices.Clone(executed)
	for v, targets := range compiled {
		for _, target := range targets {
			ran = append(ran, row{target, "", v})
		}
	}
	for _, r := range ran {
		if !slices.Contains(stands, r) {
			return fmt.Errorf("%s says another thing of %s than this run, which says: %s, run by %q, the engine %s, the library %s",
				path, r.name, r.name, r.by, r.engine, r.native)
		}
	}
	return nil
}

// replaceTable puts a table between the marks of a page.
func replaceTable(page []byte, table string) ([]byte, error) {
	before, rest, opened := bytes.Cut(page, []byte(opening))
	_, after, closed := bytes.Cut(rest, []byte(closing))
	if !opened || !closed {
		return nil, fmt.Errorf("no %q and %q", opening, closing)
	}
	return slices.Concat(before, []byte(opening), []byte(table), []byte(closing), after), nil
}

// settle writes the table into a page, or returns an error if the page has another one.
func settle(path, table string, write bool) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	want, err := replaceTable(page, table)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case bytes.Equal(page, want):
		return nil
	case write:
		return os.WriteFile(path, want, 0o644)
	}
	return fmt.Errorf("%s has another table than this run, which `bash ci/platforms.sh -write` would put there:\n%s", path, table)
}
