package nearest

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// segment is rows, in RAM or in a mapped file. Numbers are little-endian in both, so that a file is
// read in place. Everything but the rows behind a snapshot's last one is immutable.
type segment struct {
	// capacity is the number of rows that there is room for.
	capacity int
	// sorted says that the keys ascend, which is so in a file.
	sorted bool
	// keys are 64-bit integers. norms are the lengths of the rows as they are stored, in f32.
	// scales, which rows of i8 have, are what a byte of a row is to be multiplied with.
	keys, norms, scales, values []byte
	// gone has a bit for each row that was deleted; nil stands for none.
	gone []uint64
}

// snapshot is all rows at one time. Rows that it does not count may be appended to its last segment
// meanwhile; everything that it counts stays as it is.
type snapshot struct {
	segments []segment
	// last is the number of rows of the last segment; the others are full.
	last int
	// live is the number of rows that are not gone.
	live int
}

// count is the number of rows of segment i, with those that are gone.
func (s *snapshot) count(i int) int {
	if i == len(s.segments)-1 {
		return s.last
	}
	return s.segments[i].capacity
}

// rows ranges over the rows that are not gone.
func (s snapshot) rows() iter.Seq2[place, *segment] {
	return func(yield func(place, *segment) bool) {
		for i := range s.segments {
			for row := range s.count(i) {
				if !s.segments[i].isGone(row) && !yield(place{int32(i), int32(row)}, &s.segments[i]) {
					return
				}
			}
		}
	}
}

func (s *segment) key(row int) uint64 { return binary.LittleEndian.Uint64(s.keys[8*row:]) }

func (s *segment) norm(row int) float32 { return floatAt(s.norms, row) }

// scale is what a scalar of the row is to be multiplied with.
func (s *segment) scale(row int) float32 {
	if s.scales == nil {
		return 1
	}
	return floatAt(s.scales, row)
}

func (s *segment) isGone(row int) bool { return s.gone != nil && s.gone[row/64]>>(row%64)&1 != 0 }

func floatAt(floats []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(floats[4*i:]))
}

func putFloat(floats []byte, i int, v float32) {
	binary.LittleEndian.PutUint32(floats[4*i:], math.Float32bits(v))
}

// rowBytes is the number of bytes of a row's scalars.
func (x *Index) rowBytes() int { return x.columns * width(x.scalar) }

// newSegment returns an empty segment in RAM.
func (x *Index) newSegment(capacity int) segment {
	s := segment{capacity: capacity, keys: make([]byte, 8*capacity), norms: make([]byte, 4*capacity), values: make([]byte, capacity*x.rowBytes())}
	if x.scalar == abi.ScalarI8 {
		s.scales = make([]byte, 4*capacity)
	}
	return s
}

// check returns what is wrong with a row, which has the right length.
func (x *Index) check(row []float32) error {
	for i, v := range row {
		switch {
		case v-v != 0:
			return fmt.Errorf("column %d is %v: leave the row out", i, v)
		case x.scalar == abi.ScalarF16 && kernel.F16(v)&0x7FFF == 0x7C00:
			return fmt.Errorf("column %d is %v, more than f16 holds: scale the rows, or use f32", i, v)
		}
	}
	return nil
}

// put stores a row, which was checked.
func (x *Index) put(s *segment, at int, key uint64, row []float32) {
	binary.LittleEndian.PutUint64(s.keys[8*at:], key)
	values := s.values[at*x.rowBytes():][:x.rowBytes()]
	switch x.scalar {
	case abi.ScalarF32:
		for i, v := range row {
			putFloat(values, i, v)
		}
	case abi.ScalarF16:
		for i, v := range row {
			binary.LittleEndian.PutUint16(values[2*i:], kernel.F16(v))
		}
	case abi.ScalarI8:
		putFloat(s.scales, at, quantize(values, row))
	}
	var squares float64
	x.widen(x.stored, s, at)
	for _, v := range x.stored {
		squares += float64(v) * float64(v)
	}
	putFloat(s.norms, at, float32(math.Sqrt(squares)))
}

// quantize rounds a row to −127 … 127 times the scale that it returns. The scalar of the largest
// magnitude becomes 127 or −127.
func quantize(values []byte, row []float32) (scale float32) {
	var largest float32
	for _, v := range row {
		largest = max(largest, v, -v)
	}
	scale = float32(float64(largest) / 127)
	for i, v := range row {
		values[i] = 0
		if scale > 0 {
			rounded := math.RoundToEven(float64(v) / float64(scale))
			values[i] = byte(int8(max(-127, min(127, rounded))))
		}
	}
	return scale
}

// widen writes a stored row to floats.
func (x *Index) widen(floats []float32, s *segment, row int) {
	values := s.values[row*x.rowBytes():][:x.rowBytes()]
	switch x.scalar {
	case abi.ScalarF32:
		for i := range floats {
			floats[i] = floatAt(values, i)
		}
	case abi.ScalarF16:
		for i := range floats {
			floats[i] = kernel.WidenF16(binary.LittleEndian.Uint16(values[2*i:]))
		}
	case abi.ScalarI8:
		scale := s.scale(row)
		for i := range floats {
			floats[i] = scale * float32(int8(values[i]))
		}
	}
}

// copyRow copies a row of another segment of the same index.
func (x *Index) copyRow(to *segment, at int, from *segment, row int) {
	copy(to.keys[8*at:][:8], from.keys[8*row:])
	copy(to.norms[4*at:][:4], from.norms[4*row:])
	if to.scales != nil {
		copy(to.scales[4*at:][:4], from.scales[4*row:])
	}
	copy(to.values[at*x.rowBytes():][:x.rowBytes()], from.values[row*x.rowBytes():])
}
