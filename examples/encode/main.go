package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
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

// settings are what the command line says.
type settings struct {
	format   format
	model    string
	lossy    bool
	progress bool
	lines    int
	files    []string
}

// run is the program, apart from the process that it runs in. It answers the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return succeeded
	case err != nil:
		return misused // the flag set has said why
	}
	switch err := s.work(ctx, stdin, stdout, stderr); {
	case err == nil:
		return succeeded
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "encode: interrupted")
		return interrupted
	default:
		fmt.Fprintln(stderr, "encode:", err)
		return failed
	}
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := flag.NewFlagSet("encode", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "Usage: encode [flags] [file ... | -]")
		flags.PrintDefaults()
	}
	flags.TextVar(&s.format, "format", format(""), "write vectors as `tsv, jsonl or npy` (default tsv)")
	flags.StringVar(&s.model, "model", "", "load the checkpoint at `path` (default that of package words)")
	flags.BoolVar(&s.lossy, "lossy", false, "read each invalid byte as U+FFFD instead of failing")
	flags.BoolVar(&s.progress, "progress", false, "report progress even where standard error is no terminal")
	flags.IntVar(&s.lines, "batch", batchLines, "encode up to `n` lines in one call")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if s.lines < 1 {
		fmt.Fprintln(stderr, "encode: a batch has at least one line")
		return nil, errors.New("batch")
	}
	s.files = flags.Args()
	return s, nil
}

// work opens what every run needs, and goes one of the two ways.
func (s *settings) work(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	inputs, err := s.inputs(stdin)
	if err != nil {
		return err
	}
	model, err := open(ctx, s.model, stderr)
	if err != nil {
		return err
	}
	defer model.Close()
	if inputs == nil {
		return table(ctx, model, stdout)
	}
	return s.filter(ctx, model, inputs, stdout, stderr)
}

// open loads the model at path, or the embedded one, and says on stderr which implementation of the library runs it.
func open(ctx context.Context, path string, stderr io.Writer) (*uform.Model, error) {
	library, err := uform.Open(nil)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "encode: with libuform %v\n", library.Origin())
	if path == "" {
		return words.Load(ctx, library, nil)
	}
	return library.Load(ctx, path, nil)
}

// filter encodes the lines of inputs. However it ends, what was written is whole vectors.
func (s *settings) filter(ctx context.Context, model *uform.Model, inputs []input, stdout, stderr io.Writer) error {
	description, err := model.Describe(ctx)
	if err != nil {
		return err
	}
	bar := newBar(stderr, s.progress, inputs)
	sink, err := s.format.sink(stdout, description.EmbeddingColumns)
	if err != nil {
		return err
	}
	flow, err := newPipeline(model, sink, bar)
	if err != nil {
		return errors.Join(err, sink.close())
	}
	lines := &reader{inputs: inputs, context: description.Context, lossy: s.lossy, most: s.lines}
	err = flow.run(ctx, lines)
	err = errors.Join(err, flow.close(), sink.close())
	bar.end(flow.written)
	if flow.cut > 0 {
		fmt.Fprintf(stderr, "encode: %d of %d lines were longer than the model's context of %d bytes and lost %d bytes\n",
			flow.cut, flow.written, description.Context, flow.lost)
	}
	return err
}
