package train

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// Save writes the checkpoint of [Trainer.Write] to a path. At any time, the path holds its old
// content or the whole new file: the new file is written beside it, synced to disk, and renamed. A
// process that is killed may leave a file whose name ends in ".partial" there. In a run of several
// processes only the first writes, and the others return at once.
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
func (t *Trainer) replace(path string, write func(io.Writer) error, size uint64, progress func(done, total uint64) bool) (err error) {
	if err := platform.Replaceable(path); err != nil {
		return failed(err)
	}
	beside := fmt.Sprintf("%s.%08x.partial", path, rand.Uint32())
	file, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return failed(err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(beside) // the present error is more useful
		}
	}()
	w := &reporting{file: file, total: size, progress: progress}
	if err = write(w); err != nil {
		if w.stopped {
			return t.cancelled()
		}
		return failed(err)
	}
	if err = file.Sync(); err != nil {
		return failed(err)
	}
	if err = file.Close(); err != nil {
		return failed(err)
	}
	if err = os.Rename(beside, path); err != nil {
		return failed(err)
	}
	if err := syncDirectory(filepath.Dir(path)); err != nil {
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
