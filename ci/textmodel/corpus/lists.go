package corpus

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Pair is two texts that mean about the same.
type Pair [2]string

// Lines returns the lines of a text file, which may be compressed by xz.
func Lines(path string) ([]string, error) {
	var from io.Reader
	wait := func() error { return nil }
	if strings.HasSuffix(path, ".xz") {
		unpack := exec.Command("xz", "-dc", path)
		pipe, err := unpack.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := unpack.Start(); err != nil {
			return nil, err
		}
		from, wait = pipe, unpack.Wait
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		from = file
	}
	var lines []string
	scanner := bufio.NewScanner(from)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := wait(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lines, nil
}

// Alternating returns the pairs of adjacent lines.
func Alternating(lines []string) []Pair {
	pairs := make([]Pair, 0, len(lines)/2)
	for i := 0; i+1 < len(lines); i += 2 {
		pairs = append(pairs, Pair{lines[i], lines[i+1]})
	}
	return pairs
}

// Scored is a pair of sentences and their similarity as people scored it, 0 to 5.
type Scored struct {
	Pair
	Score float64
}

// ReadScored reads a split of the STS benchmark. No split is learned from: the licences of some of
// its sources do not permit a committed model.
func ReadScored(path string) ([]Scored, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []Scored
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		fields := strings.Split(scanner.Text(), "\t")
		if len(fields) < 7 {
			return nil, fmt.Errorf("%s: line %d has %d fields instead of 7", path, len(all)+1, len(fields))
		}
		score, err := strconv.ParseFloat(fields[4], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(all)+1, err)
		}
		all = append(all, Scored{Pair{fields[5], fields[6]}, score})
	}
	return all, scanner.Err()
}
