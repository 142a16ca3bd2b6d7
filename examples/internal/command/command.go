package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// The exit statuses.
const (
	Succeeded   = 0
	Failed      = 1
	Misused     = 2
	Interrupted = 130 // 128 and the number of SIGINT, as in shells
)

// Streams are the standard streams of a program.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Main runs a program in this process, and ends it with the program's status. The first interrupt
// ends ctx; a second one ends the process.
func Main(run func(ctx context.Context, args []string, streams Streams) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], Streams{standardInput{os.Stdin, ctx}, os.Stdout, os.Stderr}))
}

// Flags returns a flag set whose help begins with one line that says what the program does, and its
// arguments.
func Flags(name, does, arguments string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "%s\n\nUsage: %s [flags] %s\n", does, name, arguments)
		flags.PrintDefaults()
	}
	return flags
}

// errMisuse is in the chain of every error of [Misuse] and [Parse].
var errMisuse = errors.New("the command line is wrong")

// Misuse prints on stderr what is wrong with the command line, and returns an error whose status is
// [Misused].
func Misuse(flags *flag.FlagSet, format string, values ...any) error {
	fmt.Fprintf(flags.Output(), "%s: %s\n", flags.Name(), fmt.Sprintf(format, values...))
	return errMisuse
}

// Parse parses the flags. Its error is for [Status]; the flag set has printed the reason.
func Parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil && !errors.Is(err, flag.ErrHelp) {
		return errMisuse
	} else {
		return err
	}
}

// Status returns the exit status of a program that ended with err. It prints the error, if it is
// not printed yet, on stderr in one line.
func Status(ctx context.Context, name string, err error, stderr io.Writer) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return Succeeded
	case errors.Is(err, errMisuse):
		return Misused
	case ctx.Err() != nil:
		fmt.Fprintf(stderr, "%s: interrupted\n", name)
		return Interrupted
	}
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	return Failed
}
