package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

var (
	encodedLines = beam.NewCounter(namespace, "encoded")
	badLines     = beam.NewCounter(namespace, "bad")
	cutLines     = beam.NewCounter(namespace, "cut")
)

// encodeFn encodes the lines of parts. Beam makes one for each of its goroutines: they share the
// process's model, and each has an arena. Its fields travel to the workers.
type encodeFn struct {
	Output, Model string
	Scalar        uform.Scalar
	Lines         int

	model   *uform.Model
	columns int
	arena   *uform.Arena
}

// models are those of this process, by their paths.
var models struct {
	mutex  sync.Mutex
	loaded map[string]*uform.Model
}

// load loads a model unless the process has it. The empty path is the embedded model.
func load(ctx context.Context, path string) (*uform.Model, error) {
	models.mutex.Lock()
	defer models.mutex.Unlock()
	if model := models.loaded[path]; model != nil {
		return model, nil
	}
	library, err := uform.Open(nil)
	if err != nil {
		return nil, err
	}
	var model *uform.Model
	if path == "" {
		model, err = words.Load(ctx, library, nil)
	} else {
		model, err = library.Load(ctx, path, nil)
	}
	if err != nil {
		return nil, err
	}
	if models.loaded == nil {
		models.loaded = map[string]*uform.Model{}
	}
	models.loaded[path] = model
	return model, nil
}

// Setup loads the model.
func (f *encodeFn) Setup(ctx context.Context) (err error) {
	if f.model, err = load(ctx, f.Model); err != nil {
		return err
	}
	description, err := f.model.Describe(ctx)
	if err != nil {
		return err
	}
	f.columns = description.EmbeddingColumns
	f.arena, err = f.model.Library().NewArena(nil)
	return err
}

// Teardown frees the arena.
func (f *encodeFn) Teardown() error { return f.arena.Close() }

// batch is lines of one part, and their offsets in its file.
type batch struct {
	texts   uform.Tape
	offsets []int64
}

func (b *batch) append(text []byte, offset int64) {
	b.texts.Append(text)
	b.offsets = append(b.offsets, offset)
}

func (b *batch) text(i int) []byte { return b.texts.Data[b.texts.Offsets[i]:b.texts.Offsets[i+1]] }

// without is the batch without line i.
func (b *batch) without(i int) *batch {
	kept := new(batch)
	for j, offset := range b.offsets {
		if j != i {
			kept.append(b.text(j), offset)
		}
	}
	return kept
}

// badLine is a line of the dead-letter file.
type badLine struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Cause  string `json:"cause"`
	// Head is how the line begins, as a Go string.
	Head string `json:"head"`
}

// ProcessElement writes the vectors of a part, and emits its bad lines. Its error is of a file, the
// model or the machine, never of a line: the runner tries the part again.
func (f *encodeFn) ProcessElement(ctx context.Context, p part, emit func(string)) (err error) {
	report := func(offset int64, text []byte, cause error) error {
		badLines.Inc(ctx, 1)
		line, err := json.Marshal(badLine{p.File, offset, cause.Error(), fmt.Sprintf("%+q", text[:min(len(text), 64)])})
		emit(string(line))
		return err
	}
	lines, err := p.open(ctx)
	if err != nil {
		return fmt.Errorf("read %s from %d: %w", p.File, p.Start, err)
	}
	defer lines.close()
	table, err := create(ctx, f.Output+"/"+p.name(), p.File, f.Scalar, f.columns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, table.close(ctx, err == nil)) }()

	waiting := new(batch)
	for ended := false; !ended; {
		text, offset, err := lines.next()
		switch {
		case errors.Is(err, errTooLong):
			if err := report(offset, nil, err); err != nil {
				return err
			}
			continue
		case errors.Is(err, io.EOF):
			ended = true
		case err != nil:
			return fmt.Errorf("read %s at %d: %w", p.File, offset, err)
		default:
			waiting.append(text, offset)
		}
		if ended || len(waiting.offsets) == f.Lines {
			if err := f.flush(ctx, waiting, table, report); err != nil {
				return err
			}
			waiting.texts.Reset()
			waiting.offsets = waiting.offsets[:0]
		}
	}
	return nil
}

// flush writes the vectors of a batch. Each line that the library refuses is reported, and the
// others are encoded without it.
func (f *encodeFn) flush(ctx context.Context, b *batch, table *table, report func(int64, []byte, error) error) error {
	for len(b.offsets) > 0 {
		encoded, err := f.model.TextEncode(ctx, b.texts, f.arena, &uform.TextOptions{Scalar: f.Scalar})
		if err == nil {
			encodedLines.Inc(ctx, int64(len(b.offsets)))
			cutLines.Inc(ctx, int64(len(encoded.Cut)))
			return table.write(b.offsets, encoded.Embeddings)
		}
		var fault *uform.Error
		if !errors.As(err, &fault) || fault.Item < 0 {
			return err
		}
		cause := *fault
		cause.Item = -1 // the place in the batch means nothing to the reader
		if err := report(b.offsets[fault.Item], b.text(fault.Item), &cause); err != nil {
			return err
		}
		b = b.without(fault.Item)
	}
	return nil
}
