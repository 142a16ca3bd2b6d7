package abi

import (
	"math"
	"unsafe"
)

// ReservedTail is the number of zero bytes that follow an argument struct in memory. A field that a
// later library appends reads as its default.
const ReservedTail = 64

// Every function below turns an address of an argument struct into a Go slice, so that callers and
// implementations of the table need no package unsafe. None of them can check a length that only
// the caller knows.

// Bounds returns the count+1 offsets of a tape of count items, nil where the tape has none or count
// is the largest uintptr.
func (tape TapeView) Bounds(count uintptr) []uintptr {
	if tape.Offsets == nil || count == math.MaxUint {
		return nil
	}
	return unsafe.Slice(tape.Offsets, count+1)
}

// Bytes returns the tape's elements from 0 to end as bytes, nil where there are none.
func (tape TapeView) Bytes(end uintptr) []byte {
	if tape.Data == nil || end == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(tape.Data), end)
}

// Floats returns the tape's elements from 0 to end as 32-bit floats, nil where there are none.
func (tape TapeView) Floats(end uintptr) []float32 {
	if tape.Data == nil || end == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(tape.Data), end)
}

// Elements returns count elements behind an array field of an argument struct, such as
// QuestionTypes.
func Elements[T any](first *T, count uintptr) []T {
	if first == nil || count == 0 {
		return nil
	}
	return unsafe.Slice(first, count)
}

// Text copies the NUL-terminated text behind a field such as Path, without its NUL.
func Text(first *byte) string {
	if first == nil {
		return ""
	}
	length := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(first), length)) != 0 {
		length++
	}
	return string(unsafe.Slice(first, length))
}

// TextAt copies the NUL-terminated text at an address that a library owns, such as an outcome's
// message.
func TextAt(address uintptr) string {
	return Text((*byte)(Pointer(address)))
}

// Pointer is the pointer behind an address that a library owns. The address must not be one of Go's
// heap.
func Pointer(address uintptr) unsafe.Pointer {
	// It is loaded as a pointer and not converted, since the collector must not follow it.
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// Memory returns the size bytes at an address that a library owns, nil for none.
func Memory(address, size uintptr) []byte {
	if address == 0 || size == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(Pointer(address)), size)
}

// BytesOf returns the memory of floats, in place.
func BytesOf(floats []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(floats))), 4*len(floats))
}

// Address returns the address of a slice of mapped or static memory, 0 for an empty one. It keeps
// nothing alive.
func Address[T any](memory []T) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
}

// Offsets returns 64-bit offsets as offsets of pointer size: in place where that is 64 bits, else
// copied. They must not be negative.
func Offsets(offsets []int64) []uintptr {
	if unsafe.Sizeof(uintptr(0)) == unsafe.Sizeof(int64(0)) {
		return unsafe.Slice((*uintptr)(unsafe.Pointer(unsafe.SliceData(offsets))), len(offsets))
	}
	words := make([]uintptr, len(offsets))
	for i, offset := range offsets {
		words[i] = uintptr(offset)
	}
	return words
}

// nothing is the address of a tape of empty items: a tape with items must not begin at NULL.
var nothing [1]byte

// Tape returns the view of a tape whose items lie between offsets in elements, as C reads it.
func Tape[Element any](elements []Element, offsets []uintptr) TapeView {
	tape := TapeView{Data: unsafe.Pointer(unsafe.SliceData(elements)), Offsets: unsafe.SliceData(offsets)}
	if len(elements) == 0 {
		tape.Data = unsafe.Pointer(&nothing)
	}
	return tape
}

// CText returns text with the NUL that C expects, for a field such as Path. C would cut a text at a
// NUL within it; callers refuse such a text.
func CText(text string) *byte {
	return unsafe.SliceData(append([]byte(text), 0))
}
