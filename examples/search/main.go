package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// queries are the default queries for the built-in corpus. They share few words with the lines that
// they should find.
var queries = []string{
	"I cannot remember my login",
	"a sleepy pet by the window",
	"the market is down",
	"pictures of outer space",
	"classical music concert",
}

// settings are the options of the command line.
type settings struct {
	query  string
	asks   bool // for query, whatever it is
	model  string
	k      int
	scalar uform.Scalar
	files  []string
}

func main() { command.Main(run) }

// run is the program, apart from its process. It returns the exit status.
func run(ctx context.Context, args []string, streams command.Streams) int {
	s, err := parse(args, streams.Err)
	if err == nil {
		err = s.work(ctx, streams)
	}
	return command.Status(ctx, "search", err, streams.Err)
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := &settings{scalar: uform.F32}
	flags := command.Flags("search", "Search finds the lines that are nearest to a query, by meaning.", "[file or - ...]", stderr)
	flags.StringVar(&s.query, "query", "", "search for `text` instead of the lines of standard input")
	flags.StringVar(&s.model, "model", "", "load the checkpoint, or the model in the folder, at `path` (default that of package words)")
	flags.Func("k", "print the best `n` lines (default 5)", func(text string) error {
		if _, err := fmt.Sscan(text, &s.k); err != nil || s.k < 1 {
			return errors.New("use a number from 1")
		}
		return nil
	})
	flags.Func("scalar", "keep embeddings as `kind` f32, f16 or i8 (default f32)", func(text string) error {
		for _, scalar := range []uform.Scalar{uform.F32, uform.F16, uform.I8} {
			if scalar.String() == text {
				s.scalar = scalar
				return nil
			}
		}
		return errors.New("use f32, f16 or i8")
	})
	s.k = 5
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	flags.Visit(func(f *flag.Flag) { s.asks = s.asks || f.Name == "query" })
	s.files = flags.Args()
	if slices.Contains(s.files, "-") && !s.asks {
		return nil, command.Misuse(flags, "standard input holds the lines to search: name what for with -query")
	}
	return s, nil
}

func (s *settings) work(ctx context.Context, streams command.Streams) error {
	lines, err := s.corpus(ctx, streams)
	if err != nil {
		return err
	}
	library, err := uform.Open(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(streams.Err, "search: library: %v\n", library.Origin())
	model, err := load(ctx, library, s.model)
	if err != nil {
		return err
	}
	defer model.Close()
	e, err := newEncoder(model)
	if err != nil {
		return err
	}
	defer e.close()

	search := &searcher{encoder: e, k: s.k, out: streams.Out}
	rows, err := e.encode(ctx, lines)
	if err != nil {
		return err
	}
	if search.index, err = newIndex(lines, rows, s.scalar); err != nil {
		return err
	}
	defer search.index.Close()
	if s.scalar != uform.F32 {
		if search.exact, err = newIndex(lines, rows, uform.F32); err != nil {
			return err
		}
		defer search.exact.Close()
	}
	fmt.Fprintf(streams.Err, "search: %v\n", search.index)
	if e.cut > 0 {
		fmt.Fprintf(streams.Err, "search: lines longer than the model's context, which count by their heads: %d\n", e.cut)
	}
	return s.ask(ctx, streams.In, func(query command.Text) error { return search.answer(ctx, query) })
}

// load loads the model at path, or the embedded one.
func load(ctx context.Context, library *uform.Library, path string) (*uform.Model, error) {
	if path == "" {
		return words.Load(ctx, library, nil)
	}
	return library.Load(ctx, path, nil)
}
