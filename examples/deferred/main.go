package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

func main() { command.Main(run) }

// settings are the options of the command line.
type settings struct {
	model string
	file  string // with the texts of the call quick, empty for built-in ones
	trace bool
}

// run is the program, apart from its process. It returns the exit status.
func run(ctx context.Context, args []string, streams command.Streams) int {
	s, err := parse(args, streams.Err)
	if err == nil {
		err = s.work(ctx, streams)
	}
	return command.Status(ctx, "deferred", err, streams.Err)
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := command.Flags("deferred", "Deferred follows calls that run at the same time: select, progress, cancelling.", "[file or -]", stderr)
	flags.StringVar(&s.model, "model", "", "load the checkpoint, or the model in the folder, at `path` (default that of package mini)")
	flags.BoolVar(&s.trace, "progress", false, "print what the progress handlers receive")
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	if flags.NArg() > 1 {
		return nil, command.Misuse(flags, "name one file of texts, or none")
	}
	s.file = flags.Arg(0)
	return s, nil
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

// work loads the model and runs the story.
func (s *settings) work(ctx context.Context, streams command.Streams) error {
	quick := texts(32, "a short text")
	if s.file != "" {
		var err error
		if quick, err = read(ctx, streams, s.file); err != nil {
			return err
		}
	}
	library, err := uform.Open(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(streams.Err, "deferred: library: %v\n", library.Origin())
	model, err := load(ctx, library, s.model)
	if err != nil {
		return err
	}
	defer model.Close()
	told := &story{model: model, out: streams.Out, quick: quick}
	if s.trace {
		told.trace = &guarded{out: streams.Err}
	}
	return errors.Join(told.play(ctx), told.unwritten)
}

// read reads one text for each line.
func read(ctx context.Context, streams command.Streams, name string) (batch uform.Tape, err error) {
	file, err := streams.Open(name)
	if err != nil {
		return batch, err
	}
	defer file.Close()
	err = command.Texts(ctx, name, file, func(line command.Text) error {
		batch.AppendString(line.Content)
		return nil
	})
	if err != nil {
		return batch, err
	}
	if batch.Len() == 0 {
		return batch, fmt.Errorf("%s: there are no texts", name)
	}
	return batch, nil
}

// load loads the model at path, or the embedded one.
func load(ctx context.Context, library *uform.Library, path string) (*uform.Model, error) {
	if path == "" {
		return mini.Load(ctx, library, nil)
	}
	return library.Load(ctx, path, nil)
}
