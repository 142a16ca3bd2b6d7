// Package loader holds the generated code that fills the table, on top of a purego and a direct
// call that call nothing and remember what they were asked to call.
package loader

import "unsafe"

// direct calls are remembered by the function's address.
var called struct {
	function uintptr
	argument unsafe.Pointer
}

// calledAnswer is the result of the next direct call.
var calledAnswer int32

func cgocall(function uintptr, argument unsafe.Pointer) int32 {
	called.function, called.argument = function, argument
	return calledAnswer
}
