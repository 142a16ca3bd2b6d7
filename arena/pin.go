package arena

import (
	stderrors "errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

var errReleased = stderrors.New("the pin was released")

// Pin gives access to rows in place until Release. Meanwhile calls that name the arena fail as
// contended, and closing or dropping the arena does not free it: a Pin that is never released keeps
// the memory for good. Goroutines may share a Pin. Its slices must not be used after Release, which
// may free their memory; asking the Pin for another one is an error then.
type Pin struct {
	rows     Rows
	released atomic.Bool
}

// Pin pins the arena for as long as the caller needs the rows in place. It fails as [Rows.Err]
// does.
func (r Rows) Pin() (*Pin, error) {
	if err := r.lent().PinHost(); err != nil {
		return nil, err
	}
	return &Pin{rows: r}, nil
}

// Release ends the pin. Releasing again is safe.
func (p *Pin) Release() {
	if p.released.CompareAndSwap(false, true) {
		p.rows.lent().Unpin()
	}
}

// Float32s is row i in place; its kind must be f32.
func (p *Pin) Float32s(i int) ([]float32, error) { return pinned[float32](p, i, abi.ScalarF32) }

// Int8s is row i in place; its kind must be i8.
func (p *Pin) Int8s(i int) ([]int8, error) { return pinned[int8](p, i, abi.ScalarI8) }

// Float16s is row i in place, as the bits of half-precision floats; its kind must be f16.
func (p *Pin) Float16s(i int) ([]uint16, error) { return pinned[uint16](p, i, abi.ScalarF16) }

// BFloat16s is row i in place, as the bits of bfloat16 floats; its kind must be bf16.
func (p *Pin) BFloat16s(i int) ([]uint16, error) { return pinned[uint16](p, i, abi.ScalarBF16) }

// Dense is every row in place, end to end, as libraries of matrices take them: Len times Columns
// floats. Their kind must be f32. Rows with gaps between them are [errors.ErrInvalidArgument].
func (p *Pin) Dense() ([]float32, error) {
	row := uintptr(p.rows.Columns()) * width(p.rows.Scalar())
	var err error
	switch {
	case p.released.Load():
		err = errReleased
	case p.rows.Scalar() != abi.ScalarF32:
		err = fmt.Errorf("the rows are %v, not %v", p.rows.Scalar(), abi.ScalarF32)
	case p.rows.Len() > 1 && uintptr(p.rows.Stride()) != row:
		err = fmt.Errorf("a row begins every %d bytes and has %d: read the rows one by one", p.rows.Stride(), row)
	}
	if err != nil {
		return nil, errors.New("read pinned rows", errors.ErrInvalidArgument, errors.NoItem, err)
	}
	memory := abi.Memory(p.rows.Data(), uintptr(p.rows.Len())*row)
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(memory))), p.rows.Len()*p.rows.Columns()), nil
}

// Bytes is every row in place, whatever its kind: Len rows, each Stride bytes after the one before.
// It is nil after Release.
func (p *Pin) Bytes() []byte {
	if p.released.Load() {
		return nil
	}
	return abi.Memory(p.rows.Data(), uintptr(p.rows.Len()*p.rows.Stride()))
}

func pinned[T any](p *Pin, i int, scalar abi.Scalar) ([]T, error) {
	switch {
	case p.released.Load():
		return nil, errors.New("read pinned row", errors.ErrInvalidArgument, i, errReleased)
	case i < 0 || i >= p.rows.Len():
		err := fmt.Errorf("there are %d rows", p.rows.Len())
		return nil, errors.New("read pinned row", errors.ErrInvalidArgument, i, err)
	case p.rows.Scalar() != scalar:
		err := fmt.Errorf("the rows are %v, not %v", p.rows.Scalar(), scalar)
		return nil, errors.New("read pinned row", errors.ErrInvalidArgument, i, err)
	}
	return elements[T](p.rows, i), nil
}

func (r Rows) float32s(i int) []float32 {
	if r.Scalar() != abi.ScalarF32 {
		return nil
	}
	return elements[float32](r, i)
}

// elements is row i in place, of a kind that is known to be T.
func elements[T any](r Rows, i int) []T {
	bytes := r.bytes(i)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), r.Columns())
}
