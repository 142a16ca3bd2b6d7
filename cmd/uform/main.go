package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// The exit statuses. A command that a signal ends has 128 and the signal's number.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

func main() {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// interrupted is the cause of a context that a signal ended.
type interrupted struct{ signal syscall.Signal }

func (i interrupted) Error() string { return "interrupted by a signal: " + i.signal.String() }

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. A second one has its
// usual effect: it ends the process.
func untilSignal(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case received := <-signals:
			// The next one must not be taken by a program that already says it is ending.
			signal.Stop(signals)
			number, _ := received.(syscall.Signal)
			cancel(interrupted{number})
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// run runs the program with its arguments, without the program's name, and returns its status.
func run(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(err)
	failure := root.ExecuteContext(ctx)
	var signalled interrupted
	switch {
	case failure == nil:
		return succeeded
	case errors.As(failure, new(misuse)):
		fmt.Fprintf(err, "uform: %s\n", oneLine(failure))
		return misused
	case errors.As(context.Cause(ctx), &signalled):
		fmt.Fprintln(err, "uform: interrupted")
		return 128 + int(signalled.signal)
	}
	fmt.Fprintf(err, "uform: %s\n", oneLine(failure))
	return failed
}

// misuse is an error of the command line.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// oneLine is an error's text without line breaks and without the prefix of the library's errors.
func oneLine(err error) string {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.TrimPrefix(strings.Join(lines, "; "), "uform: ")
}
