package folder

import (
	"encoding/binary"
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/model"
)

// table is a matrix that is used row by row, where it lies in its file. Exactly one of its kinds of
// elements is set.
type table struct {
	rows, columns int
	data          []byte // all elements as they lie in the file
	floats        []float32
	halves        []uint16
	half          bool // halves are IEEE halves, else bf16
	doubles       []byte
	bytes         []byte
}

// tableOf returns a tensor as a table. What its first dimension counts is a row.
func tableOf(tensor *model.Tensor) *table {
	t := &table{rows: 1, columns: 1, data: tensor.Data}
	if len(tensor.Shape) > 0 {
		t.rows = tensor.Shape[0]
	}
	for _, length := range tensor.Shape[min(1, len(tensor.Shape)):] {
		t.columns *= length
	}
	switch tensor.DType {
	case model.F32:
		t.floats = tensor.Float32s()
	case model.BF16, model.F16:
		t.halves, t.half = tensor.Halves(), tensor.DType == model.F16
	case model.F64:
		t.doubles = tensor.Data
	default:
		t.bytes = tensor.Data
	}
	return t
}

// read writes a row to dst.
func (t *table) read(dst []float32, row int) {
	from := row * t.columns
	switch {
	case t.floats != nil:
		copy(dst, t.floats[from:][:t.columns])
	case t.half:
		kernel.FromF16(dst, t.halves[from:][:t.columns])
	case t.halves != nil:
		kernel.FromBF16(dst, t.halves[from:][:t.columns])
	case t.doubles != nil:
		for i := range dst[:t.columns] {
			dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(t.doubles[8*(from+i):])))
		}
	default:
		for i, v := range t.bytes[from:][:t.columns] {
			dst[i] = float32(int8(v))
		}
	}
}

// add adds a row to dst. spare has room for one.
func (t *table) add(dst, spare []float32, row int) {
	from := row * t.columns
	switch {
	case t.floats != nil:
		kernel.Add(dst, t.floats[from:][:t.columns])
	case t.halves != nil && !t.half:
		kernel.AddBF16(dst, t.halves[from:][:t.columns])
	default:
		t.read(spare, row)
		kernel.Add(dst, spare)
	}
}

// part returns the bytes of some rows.
func (t *table) part(first, end int) []byte {
	each := len(t.data) / max(t.rows, 1)
	return t.data[first*each : end*each]
}

// size returns the bytes of the elements.
func (t *table) size() int { return 4*len(t.floats) + 2*len(t.halves) + len(t.doubles) + len(t.bytes) }

// finite reports whether no element of some rows is a NaN or an infinity.
func (t *table) finite(first, end int) bool {
	first, end = first*t.columns, end*t.columns
	switch {
	case t.floats != nil:
		return finiteFloats(t.floats[first:end])
	case t.half:
		return finiteHalves(t.halves[first:end], 0x7C00)
	case t.halves != nil:
		return finiteHalves(t.halves[first:end], 0x7F80)
	case t.doubles != nil:
		for ; first < end; first++ {
			v := float32(math.Float64frombits(binary.LittleEndian.Uint64(t.doubles[8*first:])))
			if math.Float32bits(v)&0x7F800000 == 0x7F800000 {
				return false
			}
		}
	}
	return true
}

func finiteFloats(v []float32) bool {
	// Adding the lowest bit of the exponent carries into the sign where all its bits are set.
	var carried uint32
	for _, f := range v {
		carried |= math.Float32bits(f)&0x7FFFFFFF + 0x00800000
	}
	return carried>>31 == 0
}

func finiteHalves(v []uint16, exponent uint16) bool {
	var carried uint16
	for _, h := range v {
		carried |= h&0x7FFF + (0x8000 - exponent)
	}
	return carried>>15 == 0
}
