// Package loader holds the generated code that fills the table, on top of primitives that call nothing and remember
// what they were asked to call.
package loader

import "unsafe"

// asked is the last call that a primitive was asked for.
var asked struct {
	primitive string
	function  uintptr
	argument  unsafe.Pointer
	arguments []uintptr
	text      string
}

// What the next call answers.
var (
	statusAnswer int32
	wordAnswer   uintptr
)

func call(function uintptr, argument unsafe.Pointer) {
	asked.primitive, asked.function, asked.argument = "call", function, argument
}

func callStatus(function uintptr, argument unsafe.Pointer) int32 {
	asked.primitive, asked.function, asked.argument = "callStatus", function, argument
	return statusAnswer
}

//go:uintptrescapes
func syscallN(function uintptr, arguments ...uintptr) uintptr {
	asked.primitive, asked.function, asked.arguments = "syscallN", function, append([]uintptr(nil), arguments...)
	return wordAnswer
}

func cString(text string) *byte {
	asked.text = text
	return unsafe.SliceData([]byte(text + "\x00"))
}

func goString(address uintptr) string {
	if address == wordAnswer {
		return "what the library says"
	}
	return "another text"
}
