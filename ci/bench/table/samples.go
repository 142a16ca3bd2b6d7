package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// samples are all values of each unit of each benchmark.
type samples map[string]map[string][]float64

// processors is the suffix that the testing package appends to a benchmark's name if it uses more
// than one processor.
var processors = regexp.MustCompile(`-\d+$`)

// read parses the output of a test binary: lines of a name, a count, then values with their units.
// The form of the binary precedes the names.
func (s samples) read(form, printed string) error {
	for line := range strings.Lines(printed) {
		fields := strings.Fields(line)
		if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := form + processors.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		if s[name] == nil {
			s[name] = make(map[string][]float64)
		}
		for i := 2; i < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
			}
			s[name][fields[i+1]] = append(s[name][fields[i+1]], value)
		}
	}
	return nil
}

// median returns the median of a benchmark's values in a unit.
func (s samples) median(name, unit string) (float64, error) {
	values := slices.Sorted(slices.Values(s[name][unit]))
	if len(values) == 0 {
		return 0, fmt.Errorf("no benchmark reported %s of %s", unit, name)
	}
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2, nil
	}
	return values[middle], nil
}
