//go:build cgo

package crossing

/*
#cgo CFLAGS: -I${SRCDIR}/../../../abi
#include "uform.h"

static void call_at(uintptr_t function, void *arguments) { ((void (*)(void *))function)(arguments); }
*/
import "C"

import "unsafe"

// Linked reports whether the program was built with cgo.
const Linked = true

// Nothing calls the verb of nothing.c, which is compiled into the program. The objects that
// arguments point at must be pinned.
func Nothing(arguments unsafe.Pointer) {
	C.uform_arena_describe((*C.uform_arena_describe_t)(arguments))
}

// At calls a verb of a shared library by its address. The objects that arguments point at must be
// pinned.
func At(function uintptr, arguments unsafe.Pointer) {
	C.call_at(C.uintptr_t(function), arguments)
}
