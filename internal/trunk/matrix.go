package trunk

import (
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Matrix is a matrix W of outputs rows and inputs columns, in the kind of its products: at most one
// of Full and Bytes is set. A layer may have matrices of both kinds.
type Matrix struct {
	Full  *kernel.Packed
	Bytes *kernel.PackedBytes
	// Apart, beside Bytes, are the inputs that are not rounded, and Columns their weights: those that
	// are far larger than all others would widen the steps of the whole row. Matrices of the same
	// rows, as queries, keys and values, have the same.
	Apart   []int
	Columns *kernel.Packed
}

// Pack packs a matrix for products: in two bytes each weight for [abi.ScalarBF16], in one for
// [abi.ScalarI8], with the activations rounded too, and in four for any other kind. row is called
// once for each output, in order, and fills dst with its inputs weights; dst is reused.
func Pack(kind abi.Scalar, outputs, inputs int, row func(output int, dst []float32)) Matrix {
	switch kind {
	case abi.ScalarI8:
		return Matrix{Bytes: kernel.PackInt8(outputs, inputs, row)}
	case abi.ScalarBF16:
		return Matrix{Full: kernel.PackBF16(outputs, inputs, row)}
	}
	return Matrix{Full: kernel.PackF32(outputs, inputs, row)}
}

// Missing reports whether there is no matrix.
func (m *Matrix) Missing() bool { return m.Full == nil && m.Bytes == nil }

// Outputs returns the number of rows of W, the width of a product's result.
func (m *Matrix) Outputs() int {
	if m.Bytes != nil {
		return m.Bytes.Outputs()
	}
	return m.Full.Outputs()
}

// Inputs returns the number of columns of W, the width of a product's operand.
func (m *Matrix) Inputs() int {
	if m.Bytes != nil {
		return m.Bytes.Inputs()
	}
	return m.Full.Inputs()
}

// Size returns the memory of the packed weights, in bytes.
func (m *Matrix) Size() int {
	switch {
	case m.Columns != nil:
		return m.Bytes.Bytes() + m.Columns.Bytes()
	case m.Bytes != nil:
		return m.Bytes.Bytes()
	case m.Full != nil:
		return m.Full.Bytes()
	}
	return 0
}

// operand is rows that matrices of any kind are multiplied with.
type operand struct {
	rows           []float32
	stride         int
	count, columns int
	// buffer has the same rows, rounded, once a matrix of bytes has asked for them, and apart what
	// stands apart of each row.
	buffer  *kernel.Bytes
	apart   *[]float32
	rounded bool
}

// bytes returns the rows rounded for a matrix, and what stands apart.
func (x *operand) bytes(m *Matrix) (rounded *kernel.Bytes, apart []float32) {
	if len(m.Apart) > 0 {
		apart = grow(x.apart, x.count*len(m.Apart))
	}
	if !x.rounded {
		x.move(m.Apart, apart, true)
		x.buffer.Quantize(x.rows, x.stride, x.count, x.columns)
		x.move(m.Apart, apart, false)
		x.rounded = true
	}
	return x.buffer, apart
}

// move takes some inputs out of the rows, which are zero meanwhile, or puts them back.
func (x *operand) move(inputs []int, apart []float32, out bool) {
	if len(inputs) == 0 {
		return
	}
	for i := range x.count {
		row, of := x.rows[i*x.stride:], apart[i*len(inputs):]
		for j, input := range inputs {
			if out {
				of[j], row[input] = row[input], 0
			} else {
				row[input] = of[j]
			}
		}
	}
}

// all is all outputs of a matrix.
func (m *Matrix) all() kernel.Span { return kernel.Span{First: 0, End: m.Outputs()} }

// product computes some outputs of x·Wᵀ, and dst has as many columns. The first must be a multiple
// of [kernel.Depth].
func (m *Matrix) product(dst []float32, stride int, x *operand, outputs kernel.Span) {
	if m.Bytes != nil {
		rounded, apart := x.bytes(m)
		m.Bytes.ProductOutputs(dst, stride, rounded, x.count, outputs)
		m.addApart(dst, stride, apart, x.count, outputs)
	} else {
		m.Full.ProductOutputs(dst, stride, x.rows, x.stride, x.count, outputs)
	}
}

// productAdd is product that adds to dst.
func (m *Matrix) productAdd(dst []float32, stride int, x *operand, outputs kernel.Span) {
	if m.Bytes != nil {
		rounded, apart := x.bytes(m)
		m.Bytes.ProductAddOutputs(dst, stride, rounded, x.count, outputs)
		m.addApart(dst, stride, apart, x.count, outputs)
	} else {
		m.Full.ProductAddOutputs(dst, stride, x.rows, x.stride, x.count, outputs)
	}
}

// addApart adds the products of the inputs that stand apart.
func (m *Matrix) addApart(dst []float32, stride int, apart []float32, count int, outputs kernel.Span) {
	if m.Columns != nil {
		m.Columns.ProductAddOutputs(dst, stride, apart, len(m.Apart), count, outputs)
	}
}

// productAddInputs adds to dst the products of some inputs, which are the only ones in x. The first
// must be a multiple of [kernel.Depth], and none may stand apart.
func (m *Matrix) productAddInputs(dst []float32, stride int, x *operand, inputs kernel.Span) {
	if m.Bytes != nil {
		rounded, _ := x.bytes(m)
		m.Bytes.ProductAddInputs(dst, stride, rounded, x.count, inputs)
	} else {
		m.Full.ProductAddInputs(dst, stride, x.rows, x.stride, x.count, inputs)
	}
}
