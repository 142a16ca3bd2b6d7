// Package abi is the C interface of libuform in Go: its header, Go structs that mirror the structs
// of C, and the table of its entry points.
//
// Most programs never import it: package uform calls all of it. It is for those who call the entry
// points as a C program does, and for those who write another implementation of them. Package
// loader fills the table, a [Library], from a shared library; package engine fills one with Go
// functions; the packages above work with either.
//
// # One way to call
//
// A verb that can fail takes one argument struct, named after itself, and reports through an
// [Outcome]:
//
//	outcome := &abi.Outcome{Status: abi.StatusUnknown} // remains if the library never writes it
//	description := &abi.ArenaDescription{}
//	arguments := &abi.ArenaDescribe{Arena: arena, Outcome: outcome, Description: description}
//	library.ArenaDescribe(arguments)
//	if outcome.Status != abi.StatusSuccess { … }
//
// A field that is zero means its default. Fields named Reserved must be zero.
//
// A verb whose arguments have a [Completion] may return before its work is done. From then on, the
// argument struct, the outcome, the inputs and the views that the verb fills must be kept alive,
// and must be neither moved nor changed, until [Library.OutcomeWait] has returned.
//
// # Who owns what
//
// Pointers in the mirrors point to memory of the caller, which the garbage collector has to see.
// Everything that the library owns, such as a handle or an outcome's message, is a uintptr, which
// the collector does not follow. The two addresses into an arena, in [RowsView] and [RowsTapeView],
// are unsafe.Pointer, as the memory behind them is never Go's. The host must not read the memory of
// a GPU's arena.
//
// # Where it comes from
//
// The header uform.h beside this file states everything that is known of libuform. A mark at the
// end of each comment gives the source of a declaration: [seed] was published in full, [name] was
// published by name and its fields are ours, [ours] is our own. The files named *_generated.go
// repeat the header and are written by ci/abigen: to change them, change the header and run go
// generate.
//
// A mirror whose layout differs from that of its C struct does not compile. [Measured] and
// [Expected] have the same sizes and offsets as values; a loader compares them with what a library
// reports of itself.
package abi
