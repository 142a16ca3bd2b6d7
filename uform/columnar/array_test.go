package columnar_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/lending"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/columnar"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// encoder is a model with an arena.
type encoder struct {
	model *uform.Model
	arena *uform.Arena
}

func newEncoder(t *testing.T) encoder {
	t.Helper()
	library, err := uform.Open(nil)
	require.NoError(t, err)
	model, err := mini.Load(t.Context(), library, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	arena, err := library.NewArena(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, arena.Close()) })
	return encoder{model, arena}
}

func (e encoder) encode(t *testing.T, scalar uform.Scalar, texts ...string) (uform.Rows, error) {
	t.Helper()
	encoded, err := e.model.TextEncode(t.Context(), uform.Strings(texts), e.arena, &uform.TextOptions{Scalar: scalar})
	return encoded.Embeddings, err
}

// floats are the values of list i, widened as Arrow defines them.
func floats(t *testing.T, lists *array.FixedSizeList, i int) (row []float32) {
	t.Helper()
	from, to := lists.ValueOffsets(i)
	switch values := lists.ListValues().(type) {
	case *array.Float32:
		return values.Float32Values()[from:to]
	case *array.Float16:
		for _, value := range values.Values()[from:to] {
			row = append(row, value.Float32())
		}
	case *array.Int8:
		for _, value := range values.Int8Values()[from:to] {
			row = append(row, float32(value))
		}
	default:
		require.Failf(t, "unknown values", "%T", values)
	}
	return row
}

var kinds = []struct {
	scalar uform.Scalar
	value  arrow.DataType
}{
	{uform.F32, arrow.PrimitiveTypes.Float32},
	{uform.F16, arrow.FixedWidthTypes.Float16},
	{uform.I8, arrow.PrimitiveTypes.Int8},
}

// eachKind runs test with three rows of each kind.
func eachKind(t *testing.T, test func(t *testing.T, e encoder, rows uform.Rows)) {
	for _, kind := range kinds {
		t.Run(kind.scalar.String(), func(t *testing.T) {
			e := newEncoder(t)
			rows, err := e.encode(t, kind.scalar, "a cat on a mat", "a dog in the fog", "")
			require.NoError(t, err)
			test(t, e, rows)
		})
	}
}

func TestValuesAreTheArenasMemory(t *testing.T) {
	eachKind(t, func(t *testing.T, _ encoder, rows uform.Rows) {
		vectors, err := columnar.Array(rows)
		require.NoError(t, err)
		defer vectors.Release()
		require.NoError(t, vectors.ValidateFull())
		buffer := vectors.ListValues().Data().Buffers()[1].Bytes()
		require.Equal(t, rows.Data(), uintptr(unsafe.Pointer(unsafe.SliceData(buffer))))
		require.Len(t, buffer, rows.Len()*rows.Stride())
	})
}

func TestValuesAreThoseOfTheRows(t *testing.T) {
	eachKind(t, func(t *testing.T, _ encoder, rows uform.Rows) {
		want := make([][]float32, rows.Len())
		pin, err := rows.Pin()
		require.NoError(t, err)
		for i := range want {
			switch rows.Scalar() {
			case uform.F32:
				want[i], err = pin.Float32s(i)
			case uform.F16:
				var bits []uint16
				bits, err = pin.Float16s(i)
				for _, one := range bits {
					want[i] = append(want[i], float16.FromBits(one).Float32())
				}
			case uform.I8:
				var bytes []int8
				bytes, err = pin.Int8s(i)
				for _, one := range bytes {
					want[i] = append(want[i], float32(one))
				}
			}
			require.NoError(t, err)
		}
		vectors, err := columnar.Array(rows)
		require.NoError(t, err)
		require.Equal(t, rows.Len(), vectors.Len())
		require.Zero(t, vectors.NullN())
		for i := range want {
			require.Equal(t, want[i], floats(t, vectors, i), i)
		}
		pin.Release()
		vectors.Release()
	})
}

func TestType(t *testing.T) {
	for _, kind := range kinds {
		got, err := columnar.Type(kind.scalar, 192)
		require.NoError(t, err)
		require.Equal(t, kind.value, got.Elem())
		require.Equal(t, int32(192), got.Len())
		require.False(t, got.ElemField().Nullable)
	}
	_, err := columnar.Type(uform.BF16, 192)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.EqualError(t, err, "uform: export rows to Arrow: unsupported: rows of bf16 have no type in Arrow: encode to F32, F16 or I8")
	for _, columns := range []int{0, -1, 1 << 31} {
		_, err := columnar.Type(uform.F32, columns)
		require.ErrorIs(t, err, uform.ErrInvalidArgument, columns)
	}
}

// A record, a slice of it and the column of the slice hold the arena, until the last of them is
// released.
func TestTheArenaIsHeldUntilTheLastRelease(t *testing.T) {
	eachKind(t, func(t *testing.T, e encoder, rows uform.Rows) {
		refused := func() {
			t.Helper()
			_, err := e.encode(t, rows.Scalar(), "another text")
			require.ErrorIs(t, err, uform.ErrContended)
		}
		vectors, err := columnar.Array(rows)
		require.NoError(t, err)
		schema := arrow.NewSchema([]arrow.Field{{Name: "vector", Type: vectors.DataType()}}, nil)
		record := array.NewRecordBatch(schema, []arrow.Array{vectors}, int64(vectors.Len()))
		refused()
		vectors.Release()
		refused()
		slice := record.NewSlice(1, 2)
		record.Release()
		refused()
		column := slice.Column(0).(*array.FixedSizeList)
		column.Retain()
		slice.Release()
		refused()
		require.Equal(t, 1, column.Len())
		require.Len(t, floats(t, column, 0), rows.Columns())
		column.Release()
		again, err := e.encode(t, rows.Scalar(), "another text")
		require.NoError(t, err)
		require.Equal(t, 1, again.Len())
		require.ErrorIs(t, rows.Err(), uform.ErrInvalidArgument, "the rows of before are stale")
	})
}

// Two arrays of the same rows have a pin each: releasing one leaves the other's memory alone.
func TestArraysAreReleasedOnceEach(t *testing.T) {
	e := newEncoder(t)
	rows, err := e.encode(t, uform.F32, "one", "two")
	require.NoError(t, err)
	first, err := columnar.Array(rows)
	require.NoError(t, err)
	second, err := columnar.Array(rows)
	require.NoError(t, err)
	first.Retain()
	first.Release()
	first.Release()
	_, err = e.encode(t, uform.F32, "three")
	require.ErrorIs(t, err, uform.ErrContended, "the second array still holds the arena")
	second.Release()
	_, err = e.encode(t, uform.F32, "three")
	require.NoError(t, err)
}

// A closed arena keeps its memory for the record, also when nothing else refers to it.
func TestARecordOutlivesItsArena(t *testing.T) {
	library, err := uform.Open(nil)
	require.NoError(t, err)
	e := newEncoder(t)
	arena, err := library.NewArena(nil)
	require.NoError(t, err)
	rows, err := encoder{e.model, arena}.encode(t, uform.F32, "one", "two")
	require.NoError(t, err)
	want, err := rows.Copy()
	require.NoError(t, err)
	vectors, err := columnar.Array(rows)
	require.NoError(t, err)
	require.NoError(t, arena.Close())
	arena, rows = nil, uform.Rows{}
	runtime.GC()
	runtime.GC()
	for i := range want {
		require.Equal(t, want[i], floats(t, vectors, i))
	}
	vectors.Release()
}

func TestRowsThatCannotBeRead(t *testing.T) {
	e := newEncoder(t)
	_, err := columnar.Array(uform.Rows{})
	require.ErrorIs(t, err, uform.ErrInvalidArgument)

	stale, err := e.encode(t, uform.F32, "one")
	require.NoError(t, err)
	wide, err := e.encode(t, uform.BF16, "two")
	require.NoError(t, err)
	_, err = columnar.Array(stale)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	_, err = columnar.Array(wide)
	require.ErrorIs(t, err, uform.ErrUnsupported)

	none, err := e.encode(t, uform.F32)
	require.NoError(t, err, "a refused array holds no pin")
	empty, err := columnar.Array(none)
	require.NoError(t, err)
	require.Zero(t, empty.Len())
	require.NoError(t, empty.ValidateFull())
	empty.Release()
	require.NoError(t, e.arena.Close())
	_, err = columnar.Array(none)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
}

// No library of this module leaves gaps between rows, but the interface can express them.
func TestRowsWithGapsAreRefused(t *testing.T) {
	library := &abi.Library{
		ArenaInit: func(a *abi.ArenaInit) { *a.Arena, a.Outcome.Status = 1, abi.StatusSuccess },
		ArenaDescribe: func(a *abi.ArenaDescribe) {
			*a.Description = abi.ArenaDescription{Residency: abi.ResidencyRAM, Device: -1}
			a.Outcome.Status = abi.StatusSuccess
		},
		ArenaFree: func(abi.Arena) {},
	}
	arena, err := lending.New(library, nil)
	require.NoError(t, err)
	lease, err := arena.Begin("encode")
	require.NoError(t, err)
	view := abi.RowsView{Data: unsafe.Pointer(&gaps), Stride: 12, Columns: 2, Scalar: abi.ScalarF32}
	rows := uform.Rows(lease.Rows(view, 2))
	lease.End()
	_, err = columnar.Array(rows)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.ErrorContains(t, err, "gaps")
	require.NoError(t, arena.Close())
}

// gaps is two rows of two floats, with a float after each that belongs to none.
var gaps = [6]float32{1, 2, 0, 3, 4, 0}

// Arrow may ask a buffer's allocator for more. What it gets is memory of Go's, and the arena is
// free again.
func TestABufferThatGrowsMovesOut(t *testing.T) {
	e := newEncoder(t)
	rows, err := e.encode(t, uform.I8, "one")
	require.NoError(t, err)
	vectors, err := columnar.Array(rows)
	require.NoError(t, err)
	buffer := vectors.ListValues().Data().Buffers()[1]
	before := append([]byte(nil), buffer.Bytes()...)
	buffer.Resize(4096)
	require.Equal(t, before, buffer.Bytes()[:len(before)])
	_, err = e.encode(t, uform.I8, "two")
	require.NoError(t, err)
	vectors.Release()
}

// Everything that Arrow allocates around the arena's memory is freed, whatever the way out.
func TestNothingLeaks(t *testing.T) {
	eachKind(t, func(t *testing.T, e encoder, rows uform.Rows) {
		checked := memory.NewCheckedAllocator(memory.DefaultAllocator)
		defer checked.AssertSize(t, 0)
		vectors, err := columnar.Array(rows)
		require.NoError(t, err)
		joined, err := array.Concatenate([]arrow.Array{vectors, vectors}, checked)
		require.NoError(t, err)
		require.Positive(t, checked.CurrentAlloc())
		vectors.Release()
		_, err = e.encode(t, rows.Scalar(), "the copy does not hold the arena")
		require.NoError(t, err)
		require.Equal(t, 6, joined.Len())
		joined.Release()
	})
}
