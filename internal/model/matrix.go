package model

import "github.com/unum-cloud/uform-go/internal/kernel"

// matrix is a matrix of a layer, in the kind of its products: exactly one of the two is set.
type matrix struct {
	full  *kernel.Packed
	bytes *kernel.PackedBytes
}

// size returns the bytes of the packed weights.
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
	bytes  *kernel.Bytes // the same, rounded, where the matrices are of bytes
	count  int
}

// operand returns count rows of columns scalars as an operand for w and matrices of its kind. It
// refers to rows, and is valid until buffer is used again.
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

// productAddInputs is productAdd for some of the inputs, which are the only ones in x.
func (w *matrix) productAddInputs(dst []float32, stride int, x *operand, first, end int) {
	if w.bytes != nil {
		w.bytes.ProductAddInputs(dst, stride, x.bytes, x.count, kernel.Span{First: first, End: end})
	} else {
		w.full.ProductAddInputs(dst, stride, x.rows, x.stride, x.count, kernel.Span{First: first, End: end})
	}
}
