package engine

import (
	"math"
	"math/bits"
	"slices"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// alignment is where each output begins: at a line of the cache, and so at any scalar's boundary.
const alignment = 64

// plan lays the outputs of a call out, one after the other, and is how many bytes they take: past [math.MaxInt], more than
// any arena has.
type plan uint64

// place makes room for rows of columns scalars of a size, and returns where it begins.
func (p *plan) place(rows, columns int, size uintptr) uintptr {
	begin := (min(uint64(*p), math.MaxInt64) + alignment - 1) &^ (alignment - 1)
	high, bytes := bits.Mul64(uint64(rows), uint64(columns)*uint64(size))
	*p = plan(begin + min(bytes, math.MaxInt64))
	if high != 0 {
		*p = math.MaxUint64
	}
	return uintptr(begin)
}

// reserve makes an arena hold what was laid out, and returns where its memory begins.
func (p plan) reserve(a *arena) (uintptr, *fault) {
	if f := a.reserve(uint64(p)); f != nil {
		return 0, f
	}
	return abi.Address(a.memory), nil
}

// output is packed rows in an arena. The zero value is an output that nobody asked for.
type output struct {
	asked   bool
	scalar  abi.Scalar
	rows    int
	columns int
	address uintptr // an offset in the arena, until base is added
}

// lay places the output.
func (o *output) lay(p *plan) {
	if o.asked {
		o.address = p.place(o.rows, o.columns, scalarBytes(o.scalar))
	}
}

// row is where row i begins.
func (o *output) row(i int) uintptr { return o.address + uintptr(i)*o.stride() }

func (o *output) stride() uintptr { return uintptr(o.columns) * scalarBytes(o.scalar) }

// floats is where to compute the rows from begin to end: the arena itself, or a buffer for those to be converted.
func (o *output) floats(buffer *[]float32, begin, end int) []float32 {
	count := (end - begin) * o.columns
	switch {
	case !o.asked:
		return nil
	case o.scalar == abi.ScalarF32:
		return at[float32](o.row(begin), count)
	}
	*buffer = grown(*buffer, count)
	return *buffer
}

// store converts what was computed for the rows that start at begin, where it is not in the arena already.
func (o *output) store(values []float32, begin int) {
	if !o.asked {
		return
	}
	address, count := o.row(begin), len(values)
	switch o.scalar {
	case abi.ScalarF16:
		kernel.ToF16(at[uint16](address, count), values)
	case abi.ScalarBF16:
		kernel.ToBF16(at[uint16](address, count), values)
	case abi.ScalarI8:
		kernel.ToInt8(at[int8](address, count), values)
	}
}

// view is the output as its caller sees it. One without rows has no first scalar to point at.
func (o *output) view() abi.RowsView {
	view := abi.RowsView{Stride: o.stride(), Columns: uintptr(o.columns), Scalar: o.scalar}
	if o.rows > 0 {
		view.Data = abi.Pointer(o.address)
	}
	return view
}

// at is count elements in an arena.
func at[T any](address uintptr, count int) []T {
	return abi.Elements((*T)(abi.Pointer(address)), uintptr(count))
}

// scalarBytes is the size of the kinds that outputs come in.
func scalarBytes(scalar abi.Scalar) uintptr {
	switch scalar {
	case abi.ScalarF32:
		return 4
	case abi.ScalarF16, abi.ScalarBF16:
		return 2
	}
	return 1
}

// outputScalar is the kind that a call asked its outputs to have.
func outputScalar(asked abi.Scalar) (abi.Scalar, *fault) {
	switch asked {
	case abi.ScalarUnknown, abi.ScalarF32:
		return abi.ScalarF32, nil
	case abi.ScalarF16, abi.ScalarBF16, abi.ScalarI8:
		return asked, nil
	}
	return 0, refuse(abi.StatusUnsupported, "outputs come as f32, f16, bf16 or i8, not as %v", asked)
}

// checkScalar refuses a number that names no kind.
func checkScalar(scalar abi.Scalar) *fault {
	if named := abi.ScalarValues(); !slices.Contains(named[:], scalar) {
		return refuse(abi.StatusInvalidArgument, "scalar %d is no kind", int32(scalar))
	}
	return nil
}
