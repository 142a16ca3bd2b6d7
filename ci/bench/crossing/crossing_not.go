//go:build !cgo

package crossing

import "unsafe"

// Linked reports whether the program was built with cgo.
const Linked = false

// Nothing is there with cgo only.
func Nothing(unsafe.Pointer) {}

// At is there with cgo only.
func At(uintptr, unsafe.Pointer) {}
