package uform

import (
	"io"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// Files is a tape of whole files, read from paths. A path that cannot be read is [ErrIO] and names
// its item; so is one that is no regular file, such as a folder or a pipe, and nothing is waited
// for: [Readers] takes those.
func Files(paths ...string) (Tape, error) {
	var t Tape
	for i, path := range paths {
		content, err := platform.ReadRegular(path)
		if err != nil {
			return Tape{}, errors.New("read files", errors.ErrIO, i, err)
		}
		t.Append(content)
	}
	return Tape{Data: t.Data, Offsets: t.Offsets}, nil
}

// Readers is a tape of whole files, each read from its reader to the end. A reader that fails is
// [ErrIO] and names its item. Readers are not closed.
func Readers(readers ...io.Reader) (Tape, error) {
	var t Tape
	for i, reader := range readers {
		content, err := io.ReadAll(reader)
		if err != nil {
			return Tape{}, errors.New("read files", errors.ErrIO, i, err)
		}
		t.Append(content)
	}
	return Tape{Data: t.Data, Offsets: t.Offsets}, nil
}
