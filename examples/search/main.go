package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// queries are asked of the built-in corpus where there are no others. They share few words with what they are to find.
var queries = []string{
	"I cannot remember my login",
	"a sleepy pet by the window",
	"the market is down",
	"photographs of outer space",
	"classical music concert",
}

// settings are what the command line says.
type settings struct {
	query  string
	asks   bool // for query, whatever it is
	model  string
	k      int
	scalar uform.Scalar
	files  []string
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program, apart from the process that it runs in. It answers the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2 // the flag set has said why
	}
	if err := s.work(ctx, stdin, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "search:", err)
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := &settings{scalar: uform.F32}
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "Usage: search [flags] [file ...]")
		flags.PrintDefaults()
	}
	flags.StringVar(&s.query, "query", "", "search for `text` instead of the lines of standard input")
	flags.StringVar(&s.model, "model", "", "load the checkpoint at `path` (default that of package words)")
	flags.Func("k", "print the best `n` lines (default 5)", func(text string) error {
		if _, err := fmt.Sscan(text, &s.k); err != nil || s.k < 1 {
			return errors.New("use a number from 1")
		}
		return nil
	})
	flags.Func("scalar", "round embeddings to `kind` f32, f16, bf16 or i8 (default f32)", func(text string) error {
		for _, scalar := range []uform.Scalar{uform.F32, uform.F16, uform.BF16, uform.I8} {
			if scalar.String() == text {
				s.scalar = scalar
				return nil
			}
		}
		return errors.New("use f32, f16, bf16 or i8")
	})
	s.k = 5
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	flags.Visit(func(f *flag.Flag) { s.asks = s.asks || f.Name == "query" })
	s.files = flags.Args()
	return s, nil
}

func (s *settings) work(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	lines, err := corpus(s.files)
	if err != nil {
		return err
	}
	library, err := uform.Open(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "search: with libuform %v\n", library.Origin())
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

	search := &searcher{encoder: e, k: s.k, out: stdout}
	if search.index, err = e.index(ctx, lines, s.scalar); err != nil {
		return err
	}
	if s.scalar != uform.F32 {
		if search.exact, err = e.index(ctx, lines, uform.F32); err != nil {
			return err
		}
	}
	fmt.Fprintf(stderr, "search: %v\n", search.index)
	if e.cut > 0 {
		fmt.Fprintf(stderr, "search: lines longer than the model's context, which count by their heads: %d\n", e.cut)
	}
	return s.ask(stdin, func(query line) error { return search.answer(ctx, query) })
}

// load loads the model at path, or the embedded one.
func load(ctx context.Context, library *uform.Library, path string) (*uform.Model, error) {
	if path == "" {
		return words.Load(ctx, library, nil)
	}
	return library.Load(ctx, path, nil)
}
