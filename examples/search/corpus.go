package main

import (
	"context"
	_ "embed" // the corpus below
	"errors"
	"io"
	"strings"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

//go:embed corpus.txt
var builtin string

var errEmpty = errors.New("there are no lines to search in")

// corpus returns the lines of the files, or of the built-in corpus if there are none.
func (s *settings) corpus(ctx context.Context, streams command.Streams) ([]command.Text, error) {
	var lines []command.Text
	keep := func(l command.Text) error {
		lines = append(lines, l)
		return nil
	}
	if len(s.files) == 0 {
		err := command.Texts(ctx, "corpus.txt", strings.NewReader(builtin), keep)
		return lines, err
	}
	for _, name := range s.files {
		file, err := streams.Open(name)
		if err != nil {
			return nil, err
		}
		err = command.Texts(ctx, name, file, keep)
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

// ask calls answer with each query: that of the command line, the built-in ones if nothing is
// given, or the lines of standard input.
func (s *settings) ask(ctx context.Context, stdin io.Reader, answer func(command.Text) error) error {
	switch {
	case s.asks:
		return answer(command.Text{Content: s.query, Name: "query", Number: 1})
	case len(s.files) == 0 && command.Interactive(stdin):
		for i, text := range queries {
			if err := answer(command.Text{Content: text, Name: "query", Number: i + 1}); err != nil {
				return err
			}
		}
		return nil
	default:
		return command.Texts(ctx, "query", stdin, answer)
	}
}
