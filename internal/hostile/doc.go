// Package hostile gives package uform input that was made to break it: checkpoints, files and tapes from a mutator. It has no code of its
// own but tests.
//
//	go test ./internal/hostile                                                     the short form, in seconds
//	UFORM_LONG=10m go test -run TestHostile/images -timeout 1h -v ./internal/hostile   ten minutes of one kind on each implementation
//
// A kind of input runs in a process of its own (child_test.go), which keeps the input at hand in a file, so that one that ends the
// process is found again. What the mutator does stands in mutator_test.go, what is done with its inputs in kinds_test.go.
//
// For every input the verb answers, or refuses with a status that says why; no input takes more processor time than a second for each KB
// that it has, rounded up; all of them together take no more memory than the bound of their kind; and the handles stay usable. An input
// that was once at fault stays in testdata/findings, which every run repeats.
package hostile
