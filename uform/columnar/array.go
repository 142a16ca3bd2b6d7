package columnar

import (
	stderrors "errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/uform"
)

const exporting = "export rows to Arrow"

// Type is the Arrow type of rows: a fixed-size list of columns elements that are never null, of
// float for [uform.F32], halffloat for [uform.F16], and int8 for [uform.I8]. Any other scalar is
// [uform.ErrUnsupported]: Arrow has no type for [uform.BF16].
func Type(scalar uform.Scalar, columns int) (*arrow.FixedSizeListType, error) {
	if columns < 1 || columns != int(int32(columns)) {
		err := fmt.Errorf("an Arrow list has 1 to 2³¹-1 elements, not %d", columns)
		return nil, errors.New(exporting, errors.ErrInvalidArgument, errors.NoItem, err)
	}
	var element arrow.DataType
	switch scalar {
	case uform.F32:
		element = arrow.PrimitiveTypes.Float32
	case uform.F16:
		element = arrow.FixedWidthTypes.Float16
	case uform.I8:
		element = arrow.PrimitiveTypes.Int8
	default:
		err := fmt.Errorf("rows of %v have no type in Arrow: encode to F32, F16 or I8", scalar)
		return nil, errors.New(exporting, errors.ErrUnsupported, errors.NoItem, err)
	}
	return arrow.FixedSizeListOfNonNullable(int32(columns), element), nil
}

// Array is rows as an Arrow array of [Type], with one list for each row. Nothing is copied: the
// array's values are the arena's memory.
//
// The array holds a [uform.Pin], which ends when the array, and every record, slice and array that
// was made from it, has been released. Until then a call with the same arena is
// [uform.ErrContended], and closing the arena does not free the memory. An array that is never
// released keeps the memory for good. The values must not be read after the release.
//
// Rows that cannot be read are an error, as of Rows.Pin. So are rows with gaps between them, which
// Arrow has no type for; what this module's libraries write has none.
func Array(rows uform.Rows) (*array.FixedSizeList, error) {
	pin, err := rows.Pin()
	if err != nil {
		return nil, err
	}
	list, err := pinned(rows, pin)
	if err != nil {
		pin.Release()
		return nil, err
	}
	return list, nil
}

var errGaps = stderrors.New("there are gaps between the rows: take the floats of Rows.Copy")

// pinned is the array whose release ends the pin.
func pinned(rows uform.Rows, pin *uform.Pin) (*array.FixedSizeList, error) {
	kind, err := Type(rows.Scalar(), rows.Columns())
	if err != nil {
		return nil, err
	}
	width := kind.Elem().(arrow.FixedWidthDataType).Bytes()
	if rows.Len() > 0 && rows.Stride() != rows.Columns()*width {
		return nil, errors.New(exporting, errors.ErrUnsupported, errors.NoItem, errGaps)
	}
	bytes := pin.Bytes()[:rows.Len()*rows.Columns()*width]
	buffer := memory.NewBufferWithAllocator(bytes, lender{pin})
	defer buffer.Release()
	values := array.NewData(kind.Elem(), rows.Len()*rows.Columns(), []*memory.Buffer{nil, buffer}, nil, 0, 0)
	defer values.Release()
	lists := array.NewData(kind, rows.Len(), []*memory.Buffer{nil}, []arrow.ArrayData{values}, 0, 0)
	defer lists.Release()
	return array.NewFixedSizeListData(lists), nil
}

// lender is the allocator of a buffer over pinned memory. Arrow calls Free when nothing refers to
// the buffer any more.
type lender struct{ pin *uform.Pin }

func (l lender) Free([]byte) { l.pin.Release() }

// Allocate takes memory of Go's: the arena has none to give.
func (l lender) Allocate(size int) []byte { return memory.DefaultAllocator.Allocate(size) }

// Reallocate moves the contents to memory of Go's, and ends the pin.
func (l lender) Reallocate(size int, old []byte) []byte {
	moved := l.Allocate(size)
	copy(moved, old)
	l.pin.Release()
	return moved
}
