package engine

import (
	"math"
	"math/bits"
	"slices"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// alignment is that of each output: a cache line, which suits any scalar.
const alignment = 64

// plan lays out the outputs of a call, one after the other. It counts their bytes; more than
// [math.MaxInt] is more than any arena has.
type plan uint64

// place makes room for rows of columns scalars of a size, and returns where they begin.
func (p *plan) place(rows, columns int, size uintptr) uintptr {
	begin := (min(uint64(*p), math.MaxInt64) + alignment - 1) &^ (alignment - 1)
	high, bytes := bits.Mul64(uint64(rows), uint64(columns)*uint64(size))
	*p = plan(begin + min(bytes, math.MaxInt64))
	if high != 0 {
		*p = math.MaxUint64
	}
	return uintptr(begin)
}

// reserve makes an arena hold the planned outputs, and returns the address of its memory.
func (p plan) reserve(a *arena) (uintptr, *fault) {
	if f := a.reserve(uint64(p)); f != nil {
		return 0, f
	}
	return abi.Address(a.memory), nil
}

// output is packed rows in an arena. The zero value is an output that was not requested.
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

// row returns where row i begins.
func (o *output) row(i int) uintptr { return o.address + uintptr(i)*o.stride() }

func (o *output) stride() uintptr { return uintptr(o.columns) * scalarBytes(o.scalar) }

// floats returns the memory for the rows from begin to end: the arena itself, or buffer for rows
// that have to be converted.
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

// store converts the computed rows that start at begin, unless they are in the arena already.
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

// view returns the output as the caller sees it. An output without rows has no first scalar to
// point at.
func (o *output) view() abi.RowsView {
	view := abi.RowsView{Stride: o.stride(), Columns: uintptr(o.columns), Scalar: o.scalar}
	if o.rows > 0 {
		view.Data = abi.Pointer(o.address)
	}
	return view
}

// at returns count elements in an arena.
func at[T any](address uintptr, count int) []T {
	return abi.Elements((*T)(abi.Pointer(address)), uintptr(count))
}

// scalarBytes returns the size of a kind of output scalars.
func scalarBytes(scalar abi.Scalar) uintptr {
	switch scalar {
	case abi.ScalarF32:
		return 4
	case abi.ScalarF16, abi.ScalarBF16:
		return 2
	}
	return 1
}

// outputScalar returns the kind of the outputs that a call requested.
func outputScalar(asked abi.Scalar) (abi.Scalar, *fault) {
	switch asked {
	case abi.ScalarUnknown, abi.ScalarF32:
		return abi.ScalarF32, nil
	case abi.ScalarF16, abi.ScalarBF16, abi.ScalarI8:
		return asked, nil
	}
	return 0, refuse(abi.StatusUnsupported, "outputs are f32, f16, bf16 or i8, not %v", asked)
}

// checkScalar refuses an unknown kind of scalar.
func checkScalar(scalar abi.Scalar) *fault {
	if named := abi.ScalarValues(); !slices.Contains(named[:], scalar) {
		return refuse(abi.StatusInvalidArgument, "unknown kind of scalar %d", int32(scalar))
	}
	return nil
}
