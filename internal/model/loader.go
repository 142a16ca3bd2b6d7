package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// reportEvery is how many bytes of weights are checked between two reports of progress.
const reportEvery = 4 << 20

// loader takes a model's tensors from a container. After the first error every method does nothing,
// so that the order of tensors can be written down without a check after each.
type loader struct {
	container  *Container
	kind       abi.Scalar
	progress   func(done, total uint64) bool
	done       uint64
	total      uint64
	unreported int
	parameters uint64
	// narrow reports whether everything packed is bf16.
	narrow bool
	err    error
}

func (l *loader) fail(name, format string, arguments ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("tensor %q: %w", name, malformed(format, arguments...))
	}
}

// advance counts bytes as checked.
func (l *loader) advance(bytes int) {
	l.done += uint64(bytes)
	l.pace(bytes)
}

// pace reports progress after enough bytes of work. It never reports the end, which is reached only
// when the model is complete.
func (l *loader) pace(bytes int) {
	if l.unreported += bytes; l.unreported >= reportEvery {
		l.unreported = 0
		l.report(min(l.done, l.total-1))
	}
}

func (l *loader) report(done uint64) {
	if l.err == nil && l.progress != nil && !l.progress(done, l.total) {
		l.err = fmt.Errorf("at byte %d of %d: %w", done, l.total, errors.ErrCancelled)
	}
}

// stored finds a tensor of one of the dtypes. shapeOf returns its required shape for a dtype.
func (l *loader) stored(name string, dtypes []DType, shapeOf func(DType) []int) (Tensor, bool) {
	if l.err != nil {
		return Tensor{}, false
	}
	tensor, found := l.container.Tensors[name]
	if !found {
		l.fail(name, "is missing")
		return Tensor{}, false
	}
	if !slices.Contains(dtypes, tensor.DType) {
		l.fail(name, "is %s where one of %v belongs", tensor.DType, dtypes)
		return Tensor{}, false
	}
	if shape := shapeOf(tensor.DType); !slices.Equal(tensor.Shape, shape) {
		l.fail(name, "has shape %v where %s of %v belongs", tensor.Shape, tensor.DType, shape)
		return Tensor{}, false
	}
	return tensor, true
}

// open returns the table of a tensor, with unchecked elements.
func open(tensor Tensor, columns int) table {
	t := table{dtype: tensor.DType, columns: columns}
	switch tensor.DType {
	case F32:
		t.floats = floatsOf(tensor.Data)
	case BF16:
		t.halves = halvesOf(tensor.Data)
	default:
		t.bytes = tensor.Data
	}
	return t
}

// matrix returns a checked matrix as it is stored.
func (l *loader) matrix(name string, rows, columns int) table {
	tensor, ok := l.stored(name, []DType{F32, BF16, I8, U8}, func(dtype DType) []int {
		if dtype == U8 {
			return []int{rows, (columns + 1) / 2}
		}
		return []int{rows, columns}
	})
	if !ok {
		return table{}
	}
	t := open(tensor, columns)
	if t.bytes != nil {
		scales, ok := l.stored(name+".scales", []DType{F32}, func(DType) []int { return []int{rows} })
		if !ok {
			return table{}
		}
		t.scales = floatsOf(scales.Data)
		for row, scale := range t.scales {
			if !isFinite(scale) {
				l.fail(scales.Name, "row %d is %v", row, scale)
				return table{}
			}
		}
		l.advance(len(scales.Data))
	}
	l.check(name, &t, rows, len(tensor.Data)/rows)
	return t
}

// check checks every element, and reports progress between rows of rowBytes bytes.
func (l *loader) check(name string, t *table, rows, rowBytes int) {
	for row := range rows {
		if l.err != nil {
			return
		}
		if !t.finite(row) {
			l.fail(name, "row %d holds a NaN or an infinity", row)
			return
		}
		l.advance(rowBytes)
	}
	l.parameters += uint64(rows) * uint64(t.columns)
}

// table returns a matrix that is used row by row. For bf16 it is rounded once, into memory of its
// own. For f32 it stays in place, since a row widens exactly when it is used.
func (l *loader) table(name string, rows, columns int) table {
	t := l.matrix(name, rows, columns)
	if l.err != nil || l.kind != abi.ScalarBF16 || t.dtype == BF16 {
		return t
	}
	rounded := table{dtype: BF16, columns: columns, halves: make([]uint16, rows*columns)}
	wide := make([]float32, columns)
	for row := range rows {
		t.read(wide, row)
		if l.pace(4 * columns); !l.fits(name, wide) {
			return table{}
		}
		kernel.ToBF16(rounded.halves[row*columns:], wide)
	}
	return rounded
}

// fits reports whether the load continues and rounding to bf16 leaves every element finite.
func (l *loader) fits(name string, row []float32) bool {
	if l.err != nil {
		return false
	}
	for _, v := range row {
		if !isFinite(kernel.WidenBF16(kernel.BF16(v))) {
			l.fail(name, "%v is too large for bf16: load it as f32", v)
			return false
		}
	}
	return true
}

// packed returns a matrix for products.
func (l *loader) packed(name string, outputs, inputs int) *kernel.Packed {
	t := l.matrix(name, outputs, inputs)
	if l.err != nil {
		return nil
	}
	narrow := l.kind == abi.ScalarBF16 || l.kind != abi.ScalarF32 && t.dtype == BF16
	row := func(row int, dst []float32) {
		if l.err != nil {
			return // the matrix will not be used
		}
		t.read(dst, row)
		if narrow && t.dtype != BF16 {
			l.fits(name, dst)
		}
		l.pace(4 * inputs)
	}
	if narrow {
		return kernel.PackBF16(outputs, inputs, row)
	}
	l.narrow = false
	return kernel.PackF32(outputs, inputs, row)
}

// layered returns a matrix of a layer.
func (l *loader) layered(name string, outputs, inputs int) trunk.Linear {
	if l.kind != abi.ScalarI8 {
		return trunk.Linear{Weight: trunk.Matrix{Full: l.packed(name, outputs, inputs)}}
	}
	t := l.matrix(name, outputs, inputs)
	if l.err != nil {
		return trunk.Linear{}
	}
	return trunk.Linear{Weight: trunk.Pack(abi.ScalarI8, outputs, inputs, func(row int, dst []float32) {
		t.read(dst, row)
		l.pace(4 * inputs)
	})}
}

// weights returns a checked vector as it is stored.
func (l *loader) weights(name string, length int) table {
	tensor, ok := l.stored(name, []DType{F32, BF16}, func(DType) []int { return []int{length} })
	if !ok {
		return table{}
	}
	t := open(tensor, length)
	l.check(name, &t, 1, len(tensor.Data))
	return t
}

// vector returns a checked vector in f32: a copy, so that the helpers in a trunk never read the
// file, which may be truncated.
func (l *loader) vector(name string, length int) []float32 {
	t := l.weights(name, length)
	if l.err != nil {
		return nil
	}
	wide := make([]float32, length)
	t.read(wide, 0)
	return wide
}

// unitVector returns a vector whose length is 1 up to rounding.
func (l *loader) unitVector(name string, size int) []float32 {
	v := l.vector(name, size)
	if l.err == nil {
		if norm := length(v); math.Abs(norm-1) > 1e-3 {
			l.fail(name, "has length %v where 1 belongs", norm)
		}
	}
	return v
}

// positiveWeights returns a vector without negative elements.
func (l *loader) positiveWeights(name string, length int) table {
	t := l.weights(name, length)
	if l.err != nil {
		return t
	}
	for i := range length {
		if v := t.at(i); v < 0 {
			l.fail(name, "element %d is %v where none is negative", i, v)
			break
		}
	}
	return t
}
