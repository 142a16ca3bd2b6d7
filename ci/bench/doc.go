// Package bench measures the cost of the binding. Command encoder, below it, measures the engine.
// This package contains only benchmarks:
//
//	go test -C ci/bench -run . -bench . .
//	go run -C ci/bench ./table -write ../../docs/benchmarks.md
//
// The second command repeats them, each in a process of its own, and writes the medians as a table
// of docs/benchmarks.md.
//
//   - blocking_test.go: one call of a verb that does no work, through the table, cgo, purego's two
//     ways and a C loop;
//   - deferred_test.go: the delay from the end of a call to its waiter, and the cost of waiting;
//   - pool_test.go: calls per second through a Pool;
//   - alloc_test.go: a blocking call allocates nothing.
//
// It is a module of its own, so that users of the binding do not depend on a package that needs a C
// compiler. Folder crossing is the cgo side; testdata/library.c is a libuform made for measuring,
// which every other way calls. The benchmarks of real verbs call the C library of the repository's
// testdata.
package bench
