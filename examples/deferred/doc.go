// Command deferred follows calls that run at the same time, and tells what becomes of them.
//
//	go run ./examples/deferred
//
// It shows a select over the calls of several executors, how a context stops one of them and a
// progress handler another, that an executor refuses a second call instead of queueing it, and how
// one without threads holds its call until somebody asks for it (story.go). What happens is told on
// standard output, in an order that causes and effects dictate, so it is the same each time. With
// -progress, what the handlers hear goes to standard error as it comes.
//
// The call quick encodes the lines of a file where one is named, or of standard input as "-".
//
// With -model it uses another checkpoint than the embedded one of package mini.
package main
