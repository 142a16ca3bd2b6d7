// Package packing makes checkpoints small: it leaves out what only a training run reads, and rounds
// matrices to fewer bits.
package packing

import (
	"fmt"
	"io"
	"strings"

	"github.com/unum-cloud/uform-go/internal/model"
)

// Kind is how a matrix is stored: a row of section 3 of docs/checkpoint.md.
type Kind string

// The kinds, from wide to narrow.
const (
	F32  Kind = "f32"
	BF16 Kind = "bf16"
	I8   Kind = "i8"
	I4   Kind = "i4"
)

// Kinds are all kinds.
var Kinds = []string{string(F32), string(BF16), string(I8), string(I4)}

// Set sets the kind by its name.
func (k *Kind) Set(name string) error {
	for _, known := range Kinds {
		if strings.EqualFold(name, known) {
			*k = Kind(known)
			return nil
		}
	}
	return fmt.Errorf("there is no such kind: use %s", strings.Join(Kinds, ", "))
}

func (k *Kind) String() string { return string(*k) }

// Type is the name of the kind of flag.
func (k *Kind) Type() string { return "kind" }

// Options say how matrices are stored. One that the file has in a narrower kind stays as it is.
type Options struct {
	// Tables is the kind of what is read row by row: bytes, n-grams, positions and times.
	Tables Kind
	// Matrices is that of all other matrices.
	Matrices Kind
}

// isTable reports whether a matrix is read row by row.
func isTable(name string) bool {
	switch name {
	case "bytes", "grams", "image.positions", "video.times":
		return true
	}
	return false
}

var bits = map[model.DType]int{model.F32: 32, model.BF16: 16, model.I8: 8, model.U8: 4}

var dtypes = map[Kind]model.DType{F32: model.F32, BF16: model.BF16, I8: model.I8, I4: model.U8}

// Pack writes the checkpoint in file with the tensors of its architecture alone, rounded. A file
// that is no whole checkpoint is errors.ErrMalformed.
func Pack(to io.Writer, file []byte, options Options) error {
	weights, err := model.ReadWeights(file)
	if err != nil {
		return err
	}
	var tensors []model.Tensor
	for i, layout := range weights.Config.Layouts() {
		kind := options.Matrices
		if isTable(layout.Name) {
			kind = options.Tables
		}
		tensors = append(tensors, packed(weights.Container, layout, weights.Tensors[i], kind)...)
	}
	return model.Write(to, &weights.Config, tensors)
}

// packed returns a tensor, with its scales, in a kind.
func packed(container *model.Container, layout model.Layout, values []float32, kind Kind) []model.Tensor {
	stored := container.Tensors[layout.Name]
	if layout.Vector || bits[stored.DType] <= bits[dtypes[kind]] {
		same := []model.Tensor{stored}
		if bits[stored.DType] <= 8 {
			same = append(same, container.Tensors[layout.Name+".scales"])
		}
		return same
	}
	switch kind {
	case BF16:
		return []model.Tensor{model.HalfTensor(layout.Name, values, layout.Shape()...)}
	case I8:
		return model.Int8Tensors(layout.Name, values, layout.Rows, layout.Columns)
	default:
		return model.Int4Tensors(layout.Name, values, layout.Rows, layout.Columns)
	}
}
