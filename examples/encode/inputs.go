package main

import (
	"io"
	"os"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

// input is a source of lines.
type input struct {
	name string
	open func() (io.ReadCloser, error)
	// size is its length in bytes, or unknown.
	size int64
}

const unknown = -1

// inputs returns what the command line names, or standard input if something is piped into the
// program. It returns nil if there is nothing to read. A missing file is an error before anything
// is written.
func (s *settings) inputs(stdin io.Reader) ([]input, error) {
	files := s.files
	if len(files) == 0 {
		if s.format == "" && command.Interactive(stdin) {
			return nil, nil
		}
		files = []string{"-"}
	}
	inputs := make([]input, len(files))
	for i, name := range files {
		if name == "-" {
			inputs[i] = standard(stdin)
			continue
		}
		about, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		inputs[i] = input{name: name, open: func() (io.ReadCloser, error) { return os.Open(name) }, size: unknown}
		if about.Mode().IsRegular() {
			inputs[i].size = about.Size()
		}
	}
	return inputs, nil
}

// standard returns standard input. Its size is known if it was redirected from a file.
func standard(stdin io.Reader) input {
	in := input{name: "standard input", open: func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }, size: unknown}
	if file, ok := stdin.(interface {
		io.Seeker
		Stat() (os.FileInfo, error)
	}); ok {
		if about, err := file.Stat(); err == nil && about.Mode().IsRegular() {
			if at, err := file.Seek(0, io.SeekCurrent); err == nil {
				in.size = max(about.Size()-at, 0)
			}
		}
	}
	return in
}
