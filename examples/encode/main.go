package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

func main() { command.Main(run) }

// settings are the options of the command line.
type settings struct {
	format   format
	model    string
	lossy    bool
	progress bool
	lines    int
	files    []string
}

// run is the program, apart from its process. It returns the exit status.
func run(ctx context.Context, args []string, streams command.Streams) int {
	s, err := parse(args, streams.Err)
	if err == nil {
		err = s.work(ctx, streams)
	}
	return command.Status(ctx, "encode", err, streams.Err)
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := command.Flags("encode", "Encode turns lines of text into vectors.", "[file or - ...]", stderr)
	flags.TextVar(&s.format, "format", format(""), "write vectors as `tsv, jsonl or npy` (default tsv)")
	flags.StringVar(&s.model, "model", "", "load the checkpoint, or the model in the folder, at `path` (default that of package words)")
	flags.BoolVar(&s.lossy, "lossy", false, "read each invalid byte as U+FFFD instead of failing")
	flags.BoolVar(&s.progress, "progress", false, "report progress even where standard error is no terminal")
	flags.IntVar(&s.lines, "batch", batchLines, "encode up to `n` lines in one call")
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	if s.lines < 1 {
		return nil, command.Misuse(flags, "a batch has at least one line")
	}
	s.files = flags.Args()
	return s, nil
}

// work opens the model, and either filters or prints the table.
func (s *settings) work(ctx context.Context, streams command.Streams) error {
	inputs, err := s.inputs(streams.In)
	if err != nil {
		return err
	}
	model, err := open(ctx, s.model, streams.Err)
	if err != nil {
		return err
	}
	defer model.Close()
	if inputs == nil {
		return table(ctx, model, streams.Out)
	}
	return s.filter(ctx, model, inputs, streams.Out, streams.Err)
}

// open loads the model at path, or the embedded one, and says on stderr which implementation of the
// library runs it.
func open(ctx context.Context, path string, stderr io.Writer) (*uform.Model, error) {
	library, err := uform.Open(nil)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "encode: library: %v\n", library.Origin())
	if path == "" {
		return words.Load(ctx, library, nil)
	}
	return library.Load(ctx, path, nil)
}

// filter encodes the lines of inputs. However it ends, only whole vectors were written.
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
	unit := "bytes"
	if description.Tokenizer != unit { // of a folder's model, whose tokens only the library counts
		unit, lines.context, flow.byToken = "tokens", batchBytes, true
	}
	err = flow.run(ctx, lines)
	err = errors.Join(err, flow.close(), sink.close())
	bar.end(flow.written)
	if flow.cut > 0 {
		fmt.Fprintf(stderr, "encode: %d of %d lines were longer than the model's context of %d %s and lost %d bytes\n",
			flow.cut, flow.written, description.Context, unit, flow.lost)
	}
	return err
}
