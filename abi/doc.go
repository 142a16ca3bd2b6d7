// Package abi is the C interface of libuform in Go: its header, the mirrors of its structs, and the table of its entry
// points. It is the seam of this binding. Package loader fills a [Library] from a shared library, package engine fills
// one with Go functions, and nothing above can tell which it holds.
//
// # One way to call
//
// A verb that can fail takes one argument struct, named after itself, and reports through an [Outcome]:
//
//	outcome := &abi.Outcome{Status: abi.StatusUnknown} // a status planted to notice a library that never answers
//	arguments := &abi.ArenaDescribe{Arena: arena, Outcome: outcome, Description: &abi.ArenaDescription{}}
//	library.ArenaDescribe(arguments)
//	if outcome.Status != abi.StatusSuccess { … }
//
// A zeroed field means its default, fields named Reserved stay zero. Once a verb was asked to defer ([Completion]), its
// argument struct, outcome, inputs and the views it fills must stay where they are, alive and untouched, until
// [Library.OutcomeWait] has returned. Package uform does all of this; other code rarely needs this package.
//
// # Who owns what
//
// Pointers in the mirrors lead to memory of the caller's, which the collector has to see. Everything that is the
// library's own, such as a handle or an outcome's message, is a uintptr, and it must not. The two addresses that lead
// into an arena, in [RowsView] and [RowsTapeView], are unsafe.Pointer, as the memory behind them is never Go's; in the
// arena of a GPU it is not to be read by the host at all.
//
// # Where it comes from
//
// The header uform.h beside this file states everything that is known of libuform. The ends of its comments say how
// well it is known: [seed] is spelled out by a public page, [name] is named by one while its shape is ours, [ours] is
// our own. The files named *_generated.go repeat the header and are written by ci/abigen: to change them, change the
// header and run go generate. A mirror that does not keep the layout C gives its struct does not compile; [Measured]
// and [Expected] show the same as values, and a loader compares them with what a library says of itself.
package abi
