package native

import "fmt"

// RegisterFunc sets the function variable that function points at to one that calls the C function
// at address, as purego.RegisterFunc does: it reads the types of the parameters, and panics where C
// could not have them.
func RegisterFunc(function any, address uintptr) { registerFunc(function, address) }

// RegisterLibFunc is [RegisterFunc] for a symbol of the library behind handle, as
// purego.RegisterLibFunc is. It panics where the library lacks the symbol: call [Symbol] first.
func RegisterLibFunc(function any, handle uintptr, name string) {
	registerLibFunc(function, handle, name)
}

// SyscallN calls the C function at an address with some words, and returns its result, which takes
// both words where it has 64 bits and words have 32. A pointer that is converted to a word in the
// call itself stays alive until it returns.
//
//go:uintptrescapes
func SyscallN(function uintptr, words ...uintptr) (lower, upper uintptr) {
	return syscallN(function, words...)
}

// Callback is the address of a C function that runs function, on whichever thread calls it. The
// parameters of function are a [CDecl] and words, its result is a word, and it must not panic. The
// system's table of callbacks is small and never shrinks: make one for each function, once. The
// error says that the table is full, or is [Unsupported].
func Callback(function any) (address uintptr, err error) {
	if !Supported {
		return 0, Unsupported()
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("make a callback: %v", cause)
		}
	}()
	return newCallback(function), nil
}
