package uform

import (
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// Outputs are what an encoding verb leaves in the arena. The zero value asks for embeddings.
type Outputs uint8

const (
	// Embeddings are one row for each item, of unit length unless the model of a folder makes
	// others.
	Embeddings Outputs = 1 << iota
	// States are one row for each token of each item.
	States
)

// EncodeOptions say how images, videos and recordings are encoded. The zero value asks for
// embeddings in f32.
type EncodeOptions struct {
	// Outputs are what is asked for.
	Outputs Outputs
	// Scalar is the kind of every output: [F32], [F16], [BF16], or [I8] for embeddings alone.
	Scalar Scalar
	// Progress receives reports of the call in items.
	Progress Handler
}

// Encoded is what an encoding verb returns: views of the arena, which hold until the next call with
// it.
type Encoded struct {
	// Embeddings has a row for each item, EmbeddingColumns wide.
	Embeddings Rows
	// States has a row for each token of each item, StateColumns wide.
	States RowsTape
	// Cut lists the texts that were longer than the model's context.
	Cut []Cut
}

// Cut is a text that lost its tail to the model's context.
type Cut struct {
	// Item is its index, Bytes how many of its bytes were lost.
	Item, Bytes int
}

// Copied is the result of an encoding verb, copied out of the arena.
type Copied struct {
	// Embeddings has a row for each item, nil where not asked for.
	Embeddings [][]float32
	// States has a row for each token of each item, nil where not asked for.
	States [][][]float32
	// Cut lists the texts that were longer than the model's context.
	Cut []Cut
}

// Copy copies the views, as 32-bit floats. The result is the caller's.
func (e Encoded) Copy() (Copied, error) {
	copied := Copied{Cut: e.Cut}
	var err error
	if e.Embeddings != (Rows{}) {
		if copied.Embeddings, err = e.Embeddings.Copy(); err != nil {
			return Copied{}, err
		}
	}
	if e.States != (RowsTape{}) {
		if copied.States, err = e.States.Copy(); err != nil {
			return Copied{}, err
		}
	}
	return copied, nil
}

// asked is which outputs an encoding verb makes, and of what kind.
type asked struct {
	outputs Outputs
	scalar  Scalar
}

// check refuses outputs that do not exist.
func (a asked) check(verb string) error {
	if unknown := a.outputs &^ (Embeddings | States); unknown != 0 {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, fmt.Errorf("unknown outputs %#x", uint8(unknown)))
	}
	return nil
}

func (o *EncodeOptions) asked() (asked, Handler) {
	if o == nil {
		return asked{outputs: Embeddings}, nil
	}
	a := asked{o.Outputs, o.Scalar}
	if a.outputs == 0 {
		a.outputs = Embeddings
	}
	return a, o.Progress
}

// outputs are where the library writes the views that were asked for.
func (b *box[A, I]) outputs(a asked) (embeddings *abi.RowsView, states *abi.RowsTapeView) {
	if a.outputs&Embeddings != 0 {
		embeddings = &b.embeddings
	}
	if a.outputs&States != 0 {
		states = &b.ragged
	}
	return embeddings, states
}

// encoded takes the views of count items with a number of tokens in all, [arena.Unknown] where only
// the library knows.
func (b *box[A, I]) encoded(verb string, a asked, count, tokens int, lease lending.Lease) (Encoded, error) {
	var encoded Encoded
	if a.outputs&Embeddings != 0 {
		if b.embeddings.Data == nil && count > 0 {
			return encoded, errors.New(verb, errors.ErrUnknown, errors.NoItem, errHollow)
		}
		encoded.Embeddings = Rows(lease.Rows(b.embeddings, count))
	}
	if a.outputs&States != 0 {
		if b.ragged.Offsets == nil && count > 0 {
			return encoded, errors.New(verb, errors.ErrUnknown, errors.NoItem, errHollow)
		}
		encoded.States = RowsTape(lease.RowsTape(b.ragged, count, tokens))
	}
	return encoded, nil
}
