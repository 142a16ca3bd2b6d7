package uform

import (
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/unum-cloud/uform-go/errors"
)

// Files is a tape of whole files, read from paths. A path that cannot be read is [ErrIO] and names its item.
func Files(paths ...string) (Tape, error) {
	var t Tape
	for i, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return Tape{}, errors.New("read files", errors.ErrIO, i, err)
		}
		t.Append(content)
	}
	return t, nil
}

// Readers is a tape of whole files, each read from its reader to the end. A reader that fails is [ErrIO] and names its item. Readers are
// not closed.
func Readers(readers ...io.Reader) (Tape, error) {
	var t Tape
	for i, reader := range readers {
		content, err := io.ReadAll(reader)
		if err != nil {
			return Tape{}, errors.New("read files", errors.ErrIO, i, err)
		}
		t.Append(content)
	}
	return t, nil
}

// Batch is some of many files, as a tape. It belongs to the loop that it was given to. It is a plain value:
// goroutines may share one that none of them changes.
type Batch struct {
	// Names are the files', in the order of the tape's items.
	Names []string
	// Files are their bytes. The tape is used again for the next batch.
	Files Tape
}

// Batches ranges over many files without reading all of them at once: a batch ends once it holds limit bytes, so its files take that
// much and at most one file more. The range ends with the first file that cannot be read, whose batch has the names before it, and whose
// error is [ErrIO].
func Batches(fsys fs.FS, names iter.Seq[string], limit int) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		var batch Batch
		for name := range names {
			content, err := fs.ReadFile(fsys, name)
			if err != nil {
				yield(batch, errors.New("read files", errors.ErrIO, len(batch.Names), err))
				return
			}
			batch.Files.Append(content)
			batch.Names = append(batch.Names, name)
			if len(batch.Files.Data) >= limit {
				if !yield(batch, nil) {
					return
				}
				batch.Files.Reset()
				batch.Names = nil
			}
		}
		if len(batch.Names) > 0 {
			yield(batch, nil)
		}
	}
}
