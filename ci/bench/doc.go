// Package bench measures what the binding costs. Command encoder, below it, measures the engine.
// Here are benchmarks and nothing else:
//
//	go test -C ci/bench -run . -bench . .
//	go run -C ci/bench ./table -write ../../docs/benchmarks.md
//
// The second command repeats them, each in a process of its own, and writes the medians as a table
// of docs/benchmarks.md.
//
//   - blocking_test.go: one call of a verb that does no work, through the table, cgo, purego's two ways and a C loop;
//   - deferred_test.go: how long after a call is final its waiter hears of it, and what listening costs;
//   - pool_test.go: calls a second that a Pool serves;
//   - alloc_test.go: that a blocking call allocates nothing.
//
// It is a module of its own, so that no one who uses the binding inherits a package that needs a C
// compiler. Folder crossing is the cgo side; testdata/library.c is a libuform made for measuring,
// which every other way calls. The benchmarks of real verbs call the C library of the repository's
// testdata.
package bench
