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
	// Apart, beside Bytes, are the inputs that are not rounded: those that are far larger than all
	// others would widen the steps of the whole row. Matrices of the same rows, as queries, keys
	// and values, have the same. Columns are their weights, and, as those of an input of 1, the
	// bias.
	Apart   []int
	Columns *kernel.Packed
}

// SetApart sets the inputs of a map with a matrix of bytes that are not rounded, in order, at least
// one. row is that of [Pack].
func (l *Linear) SetApart(inputs []int, row func(output int, dst []float32)) {
	m, last := &l.Weight, len(inputs)
	whole := make([]float32, m.Inputs())
	m.Apart = inputs
	m.Columns = kernel.PackF32(m.Outputs(), last+1, func(output int, dst []float32) {
		row(output, whole)
		for i, input := range inputs {
			dst[i] = whole[input]
		}
		if dst[last] = 0; l.Bias != nil {
			dst[last] = l.Bias[output]
		}
	})
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
	// stands apart of each row, and a 1.
	buffer  *kernel.Bytes
	apart   *[]float32
	rounded bool
}

// bytes returns the rows, rounded for a matrix.
func (x *operand) bytes(m *Matrix) *kernel.Bytes {
	if x.rounded {
		return x.buffer
	}
	x.rounded = true
	inputs, width := m.Apart, len(m.Apart)+1
	if len(inputs) == 0 {
		x.buffer.Quantize(x.rows, x.stride, x.count, x.columns)
		return x.buffer
	}
	apart := grow(x.apart, x.count*width)
	for i := range x.count {
		row, of := x.rows[i*x.stride:], apart[i*width:][:width]
		for j, input := range inputs {
			of[j], row[input] = row[input], 0
		}
		of[width-1] = 1
	}
	x.buffer.Quantize(x.rows, x.stride, x.count, x.columns)
	for i := range x.count {
		row, of := x.rows[i*x.stride:], apart[i*width:]
		for j, input := range inputs {
			row[input] = of[j]
		}
	}
	return x.buffer
}

// all is all outputs of a matrix.
func (m *Matrix) all() kernel.Span { return kernel.Span{First: 0, End: m.Outputs()} }

// product computes some outputs of x·Wᵀ, and dst has as many columns. The first must be a multiple
// of [kernel.Depth], and no input may stand apart.
func (m *Matrix) product(dst []float32, stride int, x *operand, outputs kernel.Span) {
	if m.Bytes != nil {
		m.Bytes.ProductOutputs(dst, stride, x.bytes(m), x.count, outputs)
	} else {
		m.Full.ProductOutputs(dst, stride, x.rows, x.stride, x.count, outputs)
	}
}

// productAdd is product that adds to dst.
func (m *Matrix) productAdd(dst []float32, stride int, x *operand, outputs kernel.Span) {
	if m.Bytes != nil {
		m.Bytes.ProductAddOutputs(dst, stride, x.bytes(m), x.count, outputs)
	} else {
		m.Full.ProductAddOutputs(dst, stride, x.rows, x.stride, x.count, outputs)
	}
}

// begin writes the part of a product that no bytes take part in: that of the inputs that stand
// apart, and the bias.
func (m *Matrix) begin(dst []float32, stride int, x *operand, outputs kernel.Span) {
	x.bytes(m)
	m.Columns.ProductOutputs(dst, stride, *x.apart, len(m.Apart)+1, x.count, outputs)
}

// productAddInputs adds to dst the products of some inputs, which are the only ones in x. The first
// must be a multiple of [kernel.Depth], and none may stand apart.
func (m *Matrix) productAddInputs(dst []float32, stride int, x *operand, inputs kernel.Span) {
	if m.Bytes != nil {
		m.Bytes.ProductAddInputs(dst, stride, x.bytes(m), x.count, inputs)
	} else {
		m.Full.ProductAddInputs(dst, stride, x.rows, x.stride, x.count, inputs)
	}
}
