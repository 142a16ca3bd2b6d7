package arena

import (
	stderrors "errors"
	"fmt"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// CUDAArray is device memory as version 3 of the CUDA Array Interface describes it. The arena is
// pinned until Release; the interface itself does not say when a consumer is done. Goroutines may
// share it.
type CUDAArray struct {
	// Shape is rows and columns.
	Shape [2]int
	// Typestr is the scalars' kind: "<f4", "<f2" or "|i1".
	Typestr string
	// Data is the device address of the first row. The memory may be written.
	Data uintptr
	// Strides are the bytes between rows and between scalars.
	Strides [2]int
	// Version is 3.
	Version int

	release sync.Once
	unpin   func()
}

var (
	errOnHost     = stderrors.New("the rows are host memory: the CUDA Array Interface is for device memory alone")
	errNoBFloat16 = stderrors.New("the CUDA Array Interface has no type for bf16: export the rows through DLPack, or ask for f16")
)

// CUDAArray describes the rows, which must be device memory, else it is [errors.ErrDevice]. Rows of
// bf16 are [errors.ErrUnsupported], as the interface has no type for them. The outputs of a
// call are complete before it is final, so there is no stream to wait for.
func (r Rows) CUDAArray() (*CUDAArray, error) {
	const verb = "export rows"
	if err := r.lent().Asked(verb); err != nil {
		return nil, err
	}
	if !r.lent().Arena().OnDevice() {
		return nil, errors.New(verb, errors.ErrDevice, errors.NoItem, errOnHost)
	}
	typestr, err := cudaType(r.Scalar())
	if err != nil {
		return nil, errors.New(verb, errors.ErrUnsupported, errors.NoItem, err)
	}
	if r.Len() < 0 {
		return nil, errors.New(verb, errors.ErrUnsupported, errors.NoItem, errUncounted)
	}
	if err := r.lent().Pin(verb); err != nil {
		return nil, err
	}
	return &CUDAArray{
		Shape: [2]int{r.Len(), r.Columns()}, Typestr: typestr, Data: r.Data(),
		Strides: [2]int{r.Stride(), int(width(r.Scalar()))}, Version: 3, unpin: r.lent().Unpin,
	}, nil
}

// Release ends the pin. Releasing again is safe.
func (c *CUDAArray) Release() { c.release.Do(c.unpin) }

func cudaType(scalar abi.Scalar) (string, error) {
	switch scalar {
	case abi.ScalarF32:
		return "<f4", nil
	case abi.ScalarF16:
		return "<f2", nil
	case abi.ScalarI8:
		return "|i1", nil
	case abi.ScalarBF16:
		return "", errNoBFloat16
	}
	return "", fmt.Errorf("rows of %v have no type there", scalar)
}
