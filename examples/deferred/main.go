package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// The exit statuses.
const (
	succeeded   = 0
	failed      = 1
	misused     = 2
	interrupted = 130 // 128 and the number of SIGINT, as shells have it
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // so that a second interrupt ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program, apart from the process that it runs in. It answers the exit status.
func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("deferred", flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := flags.String("model", "", "load the checkpoint at `path` (default that of package mini)")
	progress := flags.Bool("progress", false, "tell what the progress handlers hear")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return succeeded
	case err != nil:
		return misused // the flag set has said why
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "deferred: %q is no flag, and there is nothing else to name\n", flags.Arg(0))
		return misused
	}
	stderr = &guarded{out: stderr}
	var trace io.Writer
	if *progress {
		trace = stderr
	}
	switch err := tell(ctx, *path, stdout, stderr, trace); {
	case err == nil:
		return succeeded
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "deferred: interrupted")
		return interrupted
	default:
		fmt.Fprintln(stderr, "deferred:", err)
		return failed
	}
}

// guarded is a writer for many goroutines: progress handlers run on any.
type guarded struct {
	mutex sync.Mutex
	out   io.Writer
}

func (g *guarded) Write(p []byte) (int, error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.out.Write(p)
}

// tell loads the model and plays the story. Handlers' reports go to trace where it is not nil.
func tell(ctx context.Context, path string, stdout, stderr, trace io.Writer) error {
	library, err := uform.Open(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "deferred: with libuform %v\n", library.Origin())
	model, err := load(ctx, library, path)
	if err != nil {
		return err
	}
	defer model.Close()
	told := &story{model: model, out: stdout, trace: trace}
	return errors.Join(told.play(ctx), told.unheard)
}

// load loads the model at path, or the embedded one.
func load(ctx context.Context, library *uform.Library, path string) (*uform.Model, error) {
	if path == "" {
		return mini.Load(ctx, library, nil)
	}
	return library.Load(ctx, path, nil)
}
