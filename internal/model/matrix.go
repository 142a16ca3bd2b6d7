package model

import "github.com/unum-cloud/uform-go/internal/kernel"

// matrix is one of a layer's, in the kind that it is multiplied in: exactly one of the two is set.
type matrix struct {
	full  *kernel.Packed
	bytes *kernel.PackedBytes
}

// size is the bytes of the packed weights.
func (w *matrix) size() int {
	if w.bytes != nil {
		return w.bytes.Bytes()
	}
	return w.full.Bytes()
}

// operand is rows that one or more matrices of one kind are multiplied with.
type operand struct {
	rows   []float32
	stride int
	bytes  *kernel.Bytes // the same, rounded, where the matrices are bytes
	count  int
}

// operand is count rows of columns scalars for w and those of its kind. It needs rows, and lives in buffer until that is used again.
func (w *matrix) operand(buffer *kernel.Bytes, rows []float32, stride, count, columns int) operand {
	x := operand{rows: rows, stride: stride, count: count}
	if w.bytes != nil {
		x.bytes = buffer
		x.bytes.Quantize(rows, stride, count, columns)
	}
	return x
}

func (w *matrix) product(dst []float32, stride int, x *operand) {
	if w.bytes != nil {
		w.bytes.Product(dst, stride, x.bytes, x.count)
	} else {
		w.full.Product(dst, stride, x.rows, x.stride, x.count)
	}
}

func (w *matrix) productAdd(dst []float32, stride int, x *operand) {
	if w.bytes != nil {
		w.bytes.ProductAdd(dst, stride, x.bytes, x.count)
	} else {
		w.full.ProductAdd(dst, stride, x.rows, x.stride, x.count)
	}
}

// productOutputs is product for some of the outputs.
func (w *matrix) productOutputs(dst []float32, stride int, x *operand, first, end int) {
	if w.bytes != nil {
		w.bytes.ProductOutputs(dst, stride, x.bytes, x.count, kernel.Span{First: first, End: end})
	} else {
		w.full.ProductOutputs(dst, stride, x.rows, x.stride, x.count, kernel.Span{First: first, End: end})
	}
}

// productAddInputs is productAdd for some of the inputs, which are all that x has.
func (w *matrix) productAddInputs(dst []float32, stride int, x *operand, first, end int) {
	if w.bytes != nil {
		w.bytes.ProductAddInputs(dst, stride, x.bytes, x.count, kernel.Span{First: first, End: end})
	} else {
		w.full.ProductAddInputs(dst, stride, x.rows, x.stride, x.count, kernel.Span{First: first, End: end})
	}
}
