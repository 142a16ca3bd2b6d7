package nearest

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"runtime/debug"
	"slices"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// Save writes the index to a file, as it is when Save begins, without rows that were deleted. At
// any time, the path holds its old content or the whole new file: the new file is written beside
// it, synced to disk, and renamed. A process that is killed may leave a file whose name ends in
// ".partial" there. The path may be that of the file that the index was opened from, whose memory
// the index keeps until it is closed. Equal indexes have equal files.
//
// A save whose context ends is [errors.ErrCancelled]. A refusal by the system, and a path that
// holds something other than a regular file, is [errors.ErrIO].
func (x *Index) Save(ctx context.Context, path string) error {
	if err := x.begin(verbSave); err != nil {
		return err
	}
	defer x.end()
	w := &writing{index: x, ctx: ctx, rows: x.snapshot()}
	err := platform.ReplaceFile(path, w.write)
	if _, known := errors.StatusOf(err); err == nil || known {
		return err
	}
	return errors.New(verbSave, errors.ErrIO, errors.NoItem, err)
}

const verbSave = "save an index"

// writing is a save under way.
type writing struct {
	index *Index
	ctx   context.Context
	rows  snapshot
}

// write writes the whole file, its rows in the order of their keys.
func (w *writing) write(file io.Writer) (err error) {
	x := w.index
	defer x.shield(verbSave, &err, nil, debug.SetPanicOnFault(true))
	order := make([]keyed, 0, w.rows.live)
	for at, s := range w.rows.rows() {
		order = append(order, keyed{s.key(int(at.row)), at})
	}
	slices.SortFunc(order, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	h := header{Options{x.columns, x.scalar, x.metric}, len(order)}
	buffered := bufio.NewWriterSize(file, 1<<20)
	if _, err := buffered.Write(h.bytes()); err != nil {
		return err
	}
	for i, size := range h.sections() {
		if size == 0 {
			continue
		}
		for n, one := range order {
			if n%(1<<10) == 0 && w.ctx.Err() != nil {
				return errors.New(verbSave, errors.ErrCancelled, errors.NoItem, context.Cause(w.ctx))
			}
			if _, err := buffered.Write(x.part(&w.rows.segments[one.segment], i, int(one.row))); err != nil {
				return err
			}
		}
		if _, err := buffered.Write(make([]byte, padded(size)-size)); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// keyed is a row's key with its place.
type keyed struct {
	key uint64
	place
}

// part is what a row has in a section of the file.
func (x *Index) part(s *segment, section, row int) []byte {
	bytes := [4][]byte{s.keys, s.norms, s.scales, s.values}[section]
	size := [4]int{8, 4, 4, x.rowBytes()}[section]
	return bytes[row*size:][:size]
}
