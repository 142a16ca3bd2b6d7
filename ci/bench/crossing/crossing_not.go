//go:build !cgo

package crossing

import "unsafe"

// Linked reports whether the program was built with cgo.
const Linked = false

// Nothing needs cgo; without it this is a stub.
func Nothing(unsafe.Pointer) {}

// At needs cgo; without it this is a stub.
func At(uintptr, unsafe.Pointer) {}
