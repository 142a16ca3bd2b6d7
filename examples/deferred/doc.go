// Command deferred runs several calls at the same time, and prints how each of them ends.
//
//	go run ./examples/deferred
//
// It shows a select over the calls of several executors, how a context stops one of them and a
// progress handler another, that an executor refuses a second call instead of queueing it, and how
// an executor without threads holds its call until a goroutine waits for it (story.go). Events are
// printed on standard output. Each causes the next, so their order is the same each time. With
// -progress, progress is printed on standard error as it is reported.
//
// The call quick encodes the lines of a file if one is named, or of standard input as "-".
//
// With -model it uses another checkpoint than the embedded one of package mini, or a folder as
// Hugging Face has it.
package main
