package nearest

import (
	"context"
	"errors"
	"slices"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// batch is the number of files that are encoded in one call.
const batch = 32

// found is a file with its vector.
type found struct {
	File
	vector []float32
}

var errEmpty = errors.New("the file is empty")

// encoder is an executor and an arena that serve all calls.
type encoder struct {
	medium   *Medium
	executor *uform.Executor
	on       uform.On
	arena    *uform.Arena
	// skip is called with files that are not of the medium.
	skip func(file File, err error)
	// progress is called with the number of files that are done.
	progress func(done int)
}

func (e *encoder) close() { e.arena.Close(); e.executor.Close() }

// encode returns the files that can be encoded, with their vectors of unit length. A file that
// cannot fails its whole batch, which is encoded again without it.
func (e *encoder) encode(ctx context.Context, files []File) (all []found, err error) {
	for begin := 0; begin < len(files); begin += batch {
		now := slices.Clone(files[begin:min(begin+batch, len(files))])
		// An empty file has an embedding, but no picture.
		now = slices.DeleteFunc(now, func(file File) bool {
			if len(file.Content) == 0 {
				e.skip(file, errEmpty)
			}
			return len(file.Content) == 0
		})
		for len(now) > 0 {
			var tape uform.Tape
			for _, file := range now {
				tape.Append(file.Content)
			}
			encoded, err := e.medium.Encode(e.on, ctx, tape, e.arena, &uform.EncodeOptions{Progress: func(finished, _ int) error {
				e.progress(begin + finished)
				return nil
			}})
			if failure := (*uform.Error)(nil); errors.As(err, &failure) && failure.Item >= 0 &&
				(errors.Is(err, uform.ErrMalformed) || errors.Is(err, uform.ErrUnsupported)) {
				why := failure.Cause // without the item's number, which counts in an internal batch
				if why == nil {
					why = failure.Status
				}
				e.skip(now[failure.Item], why)
				now = slices.Delete(now, failure.Item, failure.Item+1)
				continue
			}
			if err != nil {
				return nil, err
			}
			for i, row := range encoded.Embeddings.All() {
				all = append(all, found{now[i], slices.Clone(row)})
			}
			break
		}
	}
	return all, nil
}

// rank returns the k files that are nearest to a vector by cosine, nearest first, and the cosines.
func rank(ctx context.Context, files []found, vector []float32, k int) (ranked []found, scores []float64, err error) {
	index, err := nearest.New(&nearest.Options{Columns: len(vector)})
	if err != nil {
		return nil, nil, err
	}
	defer index.Close()
	for i, file := range files {
		if err := index.Add([]uint64{uint64(i)}, [][]float32{file.vector}); err != nil {
			return nil, nil, err
		}
	}
	matches, err := index.Search(ctx, vector, k, nil)
	for _, m := range matches {
		ranked, scores = append(ranked, files[m.Key]), append(scores, m.Score)
	}
	return ranked, scores, err
}
