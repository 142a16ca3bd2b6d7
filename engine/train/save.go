package train

import (
	"fmt"
	"io"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// Save writes the checkpoint of [Trainer.Write] to a path. At any time, the path holds its old
// content or the whole new file, as [platform.ReplaceFile] says. In a run of several processes only
// the first writes, and the others return at once.
//
// progress receives the bytes done and their total: first zero, at last the total. If it returns
// false before the last report, the save ends. It may be nil. A refusal by the system, and a path
// that holds something other than a regular file, is [errors.ErrIO]; other errors are as for
// [Trainer.Write].
func (t *Trainer) Save(path string, progress func(done, total uint64) bool) error {
	if progress == nil {
		progress = func(uint64, uint64) bool { return true }
	}
	if t.peers.Index() != 0 {
		progress(0, 0)
		return nil
	}
	write, err := t.checkpoint()
	if err != nil {
		return err
	}
	var size counter
	if err := write(&size); err != nil {
		return err
	}
	if !progress(0, uint64(size)) {
		return t.cancelled()
	}
	if err := t.replace(path, write, uint64(size), progress); err != nil {
		return err
	}
	progress(uint64(size), uint64(size))
	return nil
}

// replace makes path hold what write writes, which has the given size.
func (t *Trainer) replace(path string, write func(io.Writer) error, size uint64, progress func(done, total uint64) bool) error {
	w := &reporting{total: size, progress: progress}
	err := platform.ReplaceFile(path, func(file io.Writer) error {
		w.file = file
		return write(w)
	})
	if w.stopped {
		return t.cancelled()
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

func failed(err error) error { return fmt.Errorf("%v: %w", err, errors.ErrIO) }

// counter counts what is written to it.
type counter uint64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// reporting writes to a file, piece by piece, and reports progress between pieces.
type reporting struct {
	file        io.Writer
	done, total uint64
	progress    func(done, total uint64) bool
	stopped     bool
}

// pieceBytes is how much is written between two reports.
const pieceBytes = 4 << 20

func (r *reporting) Write(p []byte) (written int, err error) {
	for len(p) > 0 {
		if r.done > 0 && !r.progress(min(r.done, r.total-1), r.total) {
			r.stopped = true
			return written, errors.ErrCancelled
		}
		n, err := r.file.Write(p[:min(len(p), pieceBytes)])
		written += n
		r.done += uint64(n)
		if err != nil {
			return written, err
		}
		p = p[n:]
	}
	return written, nil
}
