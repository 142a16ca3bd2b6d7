// Package hostile tests package uform with hostile input: checkpoints, files and tapes from a
// mutator. It contains only tests.
//
//	# The short form, in seconds.
//	go test ./internal/hostile
//	# Ten minutes of one kind on each implementation.
//	UFORM_LONG=10m go test -run TestHostile/images -timeout 1h -v ./internal/hostile
//
// A kind of input runs in a process of its own (child_test.go), which writes each input to a file
// first, so that one that ends the process is found again. The mutator is in mutator_test.go, the
// kinds of input are in kinds_test.go.
//
// For every input the verb succeeds or refuses it with a status that says why. No input takes more
// than one second of processor time for each KB of its size, rounded up. All of them together take
// no more memory than the bound of their kind, and the handles stay usable. An input that once
// failed is kept in testdata/findings, which every run repeats.
package hostile
