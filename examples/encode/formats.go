package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/unum-cloud/uform-go/uform"
)

// format is the name of an output format. The zero value means tsv, and that none was given.
type format string

// MarshalText returns the name.
func (f format) MarshalText() ([]byte, error) { return []byte(f), nil }

// UnmarshalText accepts the known names.
func (f *format) UnmarshalText(text []byte) error {
	switch name := format(text); name {
	case "tsv", "jsonl", "npy":
		*f = name
		return nil
	}
	return fmt.Errorf("there is no such format: use tsv, jsonl or npy")
}

// sink writes vectors.
type sink interface {
	// write writes every row. It reads them in place.
	write(uform.Rows) error
	// flush writes what is buffered, if the format can be read before its end.
	flush() error
	// close completes the output, whatever the number of rows.
	close() error
}

func (f format) sink(out io.Writer, columns int) (sink, error) {
	buffered := bufio.NewWriterSize(out, 64<<10)
	switch f {
	case "npy":
		return newArrayFile(out, columns)
	case "jsonl":
		return &textLines{out: buffered, first: "[", between: ",", last: "]\n"}, nil
	default:
		return &textLines{out: buffered, between: "\t", last: "\n"}, nil
	}
}

// textLines writes a vector as a line of decimal numbers, each the shortest that reads back as the
// same float32.
type textLines struct {
	out                  *bufio.Writer
	first, between, last string
	line                 []byte
}

func (t *textLines) write(rows uform.Rows) error {
	for _, row := range rows.All() {
		t.line = append(t.line[:0], t.first...)
		for i, value := range row {
			if i > 0 {
				t.line = append(t.line, t.between...)
			}
			t.line = strconv.AppendFloat(t.line, float64(value), 'g', -1, 32)
		}
		t.line = append(t.line, t.last...)
		if _, err := t.out.Write(t.line); err != nil {
			return err
		}
	}
	return nil
}

func (t *textLines) flush() error { return t.out.Flush() }

func (t *textLines) close() error { return t.out.Flush() }
