package nearest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/examples/internal/sheet"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// settings are the options of the command line.
type settings struct {
	medium             *Medium
	query, text, model string
	asks               bool // for text, whatever it is
	sheet              string
	k                  int
	progress           bool
	paths              []string
}

// Run is a program, apart from its process. It returns the exit status.
func Run(ctx context.Context, medium *Medium, args []string, streams command.Streams) int {
	s, err := parse(medium, args, streams.Err)
	if err == nil {
		err = s.work(ctx, streams)
	}
	return command.Status(ctx, medium.Name, err, streams.Err)
}

// Main runs a program in this process.
func Main(medium *Medium) {
	command.Main(func(ctx context.Context, args []string, streams command.Streams) int {
		return Run(ctx, medium, args, streams)
	})
}

func parse(medium *Medium, args []string, stderr io.Writer) (*settings, error) {
	s := &settings{medium: medium, k: 11}
	flags := command.Flags(medium.Name, medium.Does, "[file, folder or - ...]", stderr)
	flags.StringVar(&s.query, "query", "", "find what is nearest to the file of this `name` (default the first)")
	flags.StringVar(&s.text, "text", "", "find what is nearest to a `text`, which takes a trained model")
	flags.StringVar(&s.model, "model", "", "load the checkpoint, or the model in the folder, at `path` (default that of package mini)")
	flags.StringVar(&s.sheet, "sheet", filepath.Join(os.TempDir(), "uform-"+medium.Name+".png"), "write the contact sheet to `path`")
	flags.BoolVar(&s.progress, "progress", false, "report progress where standard error is no terminal, too")
	flags.Func("k", "show the nearest `n` files (default 11)", func(text string) error {
		if _, err := fmt.Sscan(text, &s.k); err != nil || s.k < 1 {
			return errors.New("use a number from 1")
		}
		return nil
	})
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	flags.Visit(func(f *flag.Flag) { s.asks = s.asks || f.Name == "text" })
	if s.query != "" && s.asks {
		return nil, command.Misuse(flags, "use -query or -text, not both")
	}
	s.paths = flags.Args()
	return s, nil
}

func (s *settings) work(ctx context.Context, streams command.Streams) error {
	stdout, stderr := streams.Out, streams.Err
	files, err := s.files(streams)
	if err != nil {
		return err
	}
	e, closeAll, err := s.open(ctx, stderr)
	if err != nil {
		return err
	}
	defer closeAll()
	bar := newBar(stderr, s.medium.Plural, len(files), s.progress)
	e.progress = bar.show
	all, err := e.encode(ctx, files)
	bar.end()
	if err != nil {
		return err
	}
	query, label, err := s.ask(ctx, e, all)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(all), func(file found) bool { return query.Name != "" && file.Name == query.Name })
	if len(others) == 0 {
		return fmt.Errorf("there is nothing to compare with: name a folder with more %s", s.medium.Plural)
	}
	ranked, scores, err := rank(ctx, others, query.vector, s.k)
	if err != nil {
		return err
	}
	list := fmt.Sprintf("nearest to %s\n", label)
	for i, file := range ranked {
		list += fmt.Sprintf("  %.4f  %s\n", scores[i], file.Name)
	}
	if _, err := io.WriteString(stdout, list); err != nil {
		return err
	}
	if err := s.draw(query, label, ranked, scores); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, "contact sheet:", s.sheet)
	return err
}

func (s *settings) files(streams command.Streams) ([]File, error) {
	files, err := s.medium.Samples, error(nil)
	if len(s.paths) > 0 {
		files = func() ([]File, error) { return read(streams, s.paths) }
	}
	all, err := files()
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there are no files in %s: name a folder with some %s", strings.Join(s.paths, " "), s.medium.Plural)
	}
	return all, err
}

// errUntrained refuses a ranking by chance.
var errUntrained = errors.New("the embedded model is not trained, and a text finds nothing with it: " +
	"name a trained one with -model")

// open loads the model and makes the encoder.
func (s *settings) open(ctx context.Context, stderr io.Writer) (*encoder, func(), error) {
	library, err := uform.Open(nil)
	if err != nil {
		return nil, nil, err
	}
	var model *uform.Model
	switch {
	case s.model == "" && s.asks && s.medium.Texts == nil:
		return nil, nil, errUntrained
	case s.model == "" && s.asks:
		fmt.Fprintf(stderr, "%s: the embedded model of package senses knows emoji and spoken words, and little else\n", s.medium.Name)
		model, err = s.medium.Texts(ctx, library, nil)
	case s.model == "":
		fmt.Fprintf(stderr, "%s: the embedded model is not trained: it compares what files look or sound like, and knows no meanings\n", s.medium.Name)
		model, err = mini.Load(ctx, library, nil)
	default:
		model, err = library.Load(ctx, s.model, nil)
	}
	if err != nil {
		return nil, nil, err
	}
	executor, err := library.NewExecutor(nil)
	if err != nil {
		return nil, nil, errors.Join(err, model.Close())
	}
	arena, err := library.NewArena(executor)
	if err != nil {
		return nil, nil, errors.Join(err, executor.Close(), model.Close())
	}
	e := &encoder{medium: s.medium, executor: executor, on: model.On(executor), arena: arena, skip: func(file File, why error) {
		fmt.Fprintf(stderr, "%s: left out %s: %v\n", s.medium.Name, file.Name, why)
	}}
	return e, func() { e.close(); model.Close() }, nil
}

// ask finds the query among the files, or encodes a text.
func (s *settings) ask(ctx context.Context, e *encoder, all []found) (query found, label string, err error) {
	if s.asks {
		encoded, err := e.on.TextEncode(ctx, uform.Strings([]string{s.text}), e.arena, nil)
		if err != nil {
			return query, "", err
		}
		copied, err := encoded.Copy()
		if err != nil {
			return query, "", err
		}
		return found{vector: copied.Embeddings[0]}, fmt.Sprintf("“%s”", s.text), nil
	}
	if len(all) == 0 {
		return query, "", fmt.Errorf("none of the files can be encoded: name a folder with some %s", s.medium.Plural)
	}
	for _, file := range all {
		if s.query == "" || file.Name == s.query {
			return file, file.Name, nil
		}
	}
	return query, "", fmt.Errorf("there is no file %q among those that were encoded, which are named as in their folder, such as %q", s.query, all[0].Name)
}

func (s *settings) draw(query found, label string, ranked []found, scores []float64) error {
	drawn := &sheet.Sheet{
		Title: "Nearest to " + label, Query: sheet.Card{Label: label},
		Note:    fmt.Sprintf("cosine of embeddings, %d scalars each", len(query.vector)),
		Columns: s.medium.Columns, Width: s.medium.Width, Height: s.medium.Height,
	}
	var err error
	if query.Content != nil {
		if drawn.Query.Picture, err = s.medium.Look(query.Content); err != nil {
			return fmt.Errorf("%s: %w", query.Name, err)
		}
	}
	for i, file := range ranked {
		picture, err := s.medium.Look(file.Content)
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
		drawn.Cards = append(drawn.Cards, sheet.Card{Picture: picture, Label: file.Name, Score: scores[i]})
	}
	picture, err := drawn.Draw()
	if err != nil {
		return err
	}
	file, err := os.Create(s.sheet)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(file, picture), file.Close())
}
