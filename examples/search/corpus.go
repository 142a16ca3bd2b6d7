package main

import (
	"bufio"
	"context"
	_ "embed" // the corpus below
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

//go:embed corpus.txt
var builtin string

// line is a text and its place.
type line struct {
	text   string
	source string
	number int
}

func (l line) place() string { return fmt.Sprintf("%s:%d", l.source, l.number) }

var (
	errEmpty = errors.New("there are no lines to search in")
	errLong  = fmt.Errorf("the line is longer than %d bytes: break it", longest)
)

// corpus returns the lines of the files, or of the built-in corpus if there are none.
func (s *settings) corpus(ctx context.Context, streams command.Streams) ([]line, error) {
	var lines []line
	keep := func(l line) error {
		lines = append(lines, l)
		return nil
	}
	if len(s.files) == 0 {
		err := each(ctx, "corpus.txt", strings.NewReader(builtin), keep)
		return lines, err
	}
	for _, name := range s.files {
		file, err := streams.Open(name)
		if err != nil {
			return nil, err
		}
		err = each(ctx, name, file, keep)
		file.Close()
		if err != nil {
			return nil, err
		}
	}
	if len(lines) == 0 {
		return nil, errEmpty
	}
	return lines, nil
}

// longest is the longest line that is read, in bytes.
const longest = 1 << 20

// each calls do with every line that is not blank.
func each(ctx context.Context, source string, from io.Reader, do func(line) error) error {
	scanner := bufio.NewScanner(from)
	scanner.Buffer(nil, longest)
	number := 0
	for scanner.Scan() {
		number++
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if strings.TrimSpace(scanner.Text()) == "" {
			continue
		}
		if err := do(line{text: scanner.Text(), source: source, number: number}); err != nil {
			return err
		}
	}
	err := scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = errLong
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %w", source, number+1, err)
	}
	return nil
}

// ask calls answer with each query: that of the command line, the built-in ones if nothing is
// given, or the lines of standard input.
func (s *settings) ask(ctx context.Context, stdin io.Reader, answer func(line) error) error {
	switch {
	case s.asks:
		return answer(line{text: s.query, source: "query", number: 1})
	case len(s.files) == 0 && command.Interactive(stdin):
		for i, text := range queries {
			if err := answer(line{text: text, source: "query", number: i + 1}); err != nil {
				return err
			}
		}
		return nil
	default:
		return each(ctx, "query", stdin, answer)
	}
}
