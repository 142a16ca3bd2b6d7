package command

import (
	"context"
	"io"
	"os"
)

// standardInput is standard input whose Read returns when ctx ends: a terminal or a pipe may block
// forever.
type standardInput struct {
	*os.File
	ctx context.Context
}

func (in standardInput) Read(p []byte) (int, error) {
	type answer struct {
		read int
		err  error
	}
	// The read may end long after this has returned, so it must not write to p.
	buffer, ended := make([]byte, len(p)), make(chan answer, 1)
	go func() {
		read, err := in.File.Read(buffer)
		ended <- answer{read, err}
	}()
	select {
	case a := <-ended:
		return copy(p, buffer[:a.read]), a.err
	case <-in.ctx.Done():
		return 0, context.Cause(in.ctx)
	}
}

// Interactive reports whether a stream is a terminal, as far as the standard library can detect:
// other devices, such as the null device, count as one.
func Interactive(stream any) bool {
	file, ok := stream.(interface{ Stat() (os.FileInfo, error) })
	if !ok {
		return false
	}
	about, err := file.Stat()
	return err == nil && about.Mode()&os.ModeCharDevice != 0
}

// Open opens a file to read, or standard input for the name "-".
func (s Streams) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(s.In), nil
	}
	return os.Open(name)
}
