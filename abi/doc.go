// Package abi is the C interface of libuform in Go: its header, the mirrors of its structs, and the
// table of its entry points. Package loader fills a [Library] from a shared library, package engine
// fills one with Go functions, and the packages above work with either.
//
// # One way to call
//
// A verb that can fail takes one argument struct, named after itself, and reports through an
// [Outcome]:
//
//	outcome := &abi.Outcome{Status: abi.StatusUnknown} // stays if the library never writes one
//	description := &abi.ArenaDescription{}
//	arguments := &abi.ArenaDescribe{Arena: arena, Outcome: outcome, Description: description}
//	library.ArenaDescribe(arguments)
//	if outcome.Status != abi.StatusSuccess { … }
//
// A zeroed field means its default, fields named Reserved stay zero. After a deferred submission
// ([Completion]), the verb's argument struct, outcome, inputs and the views it fills must stay
// where they are, alive and untouched, until [Library.OutcomeWait] has returned. Package uform does
// all of this; other code rarely needs this package.
//
// # Who owns what
//
// Pointers in the mirrors point to memory of the caller, which the collector has to see. Everything
// that the library owns, such as a handle or an outcome's message, is a uintptr, which the
// collector does not follow. The two addresses into an arena, in [RowsView] and [RowsTapeView], are
// unsafe.Pointer, as the memory behind them is never Go's. The host must not read the memory of a
// GPU's arena.
//
// # Where it comes from
//
// The header uform.h beside this file states everything that is known of libuform. A mark at the
// end of each comment gives the source: [seed] is spelled out by a public page, [name] is named by
// one while its shape is ours, [ours] is our own. The files named *_generated.go repeat the header
// and are written by ci/abigen: to change them, change the header and run go generate. A mirror
// that does not keep the layout C gives its struct does not compile; [Measured] and [Expected] show
// the same as values, and a loader compares them with what a library reports of itself.
package abi
