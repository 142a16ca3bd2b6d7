package main

import (
	"fmt"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/nearest"
)

// index is lines with their embeddings. The key of a line is its number in lines.
type index struct {
	*nearest.Index
	lines []command.Text
}

func newIndex(lines []command.Text, rows [][]float32, scalar uform.Scalar) (*index, error) {
	made, err := nearest.New(&nearest.Options{Columns: len(rows[0]), Scalar: scalar})
	if err != nil {
		return nil, err
	}
	keys := make([]uint64, len(rows))
	for i := range keys {
		keys[i] = uint64(i)
	}
	if err := made.Add(keys, rows); err != nil {
		return nil, err
	}
	return &index{made, lines}, nil
}

// String returns the index's size.
func (x *index) String() string {
	width := map[uform.Scalar]int{uform.F32: 4, uform.F16: 2, uform.I8: 1}[x.Scalar()]
	return fmt.Sprintf("%d lines, %d columns of %v, %d bytes", x.Len(), x.Columns(), x.Scalar(), x.Len()*x.Columns()*width)
}
