package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// question is a text, the choices that may follow it, one a byte, and which of the model's types of questions it is of.
type question struct {
	text, choices string
	kind          uint32
}

const (
	yesOrNo = iota // the types of the embedded model
	aToD
)

// samples are asked where there is no other question, in the words that the embedded model was trained on.
var samples = []question{
	{"Is it a person, Y or N? teacher", "YN", yesOrNo},
	{"Is it food, Y or N? hammer", "YN", yesOrNo},
	{"Is it A a person, B an animal, C a place, D a thing that was made? horse", "ABCD", aToD},
	{"Is it A a person, B an animal, C a place, D a thing that was made? island", "ABCD", aToD},
}

// settings are what the command line says.
type settings struct {
	model     string
	questions []question
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program, apart from the process that it runs in. It answers the exit status.
func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2 // the flag set has said why
	}
	if err := s.work(ctx, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "choose:", err)
		return 1
	}
	return 0
}

var errUse = errors.New("the command line is wrong")

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := &settings{questions: samples}
	own := question{choices: "YN"}
	flags := flag.NewFlagSet("choose", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.model, "model", "", "load the checkpoint at `path` (default the embedded example model)")
	flags.StringVar(&own.text, "text", "", "ask this `text`, which ends where its choice goes")
	flags.Func("choices", "choose among these `bytes`, for -text (default YN)", func(choices string) error {
		// A choice is a byte; a character of several would fall apart into choices that nobody meant.
		if strings.ContainsFunc(choices, func(r rune) bool { return r < ' ' || r > '~' }) {
			return errors.New("use letters, digits and signs of ASCII")
		}
		own.choices = choices
		return nil
	})
	flags.Func("type", "use the calibration of question type `n` (default that of the question, 0 for -text)", func(text string) error {
		kind, err := strconv.ParseUint(text, 10, 32)
		own.kind = uint32(kind)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "choose: %q is no flag: pass a question as -text %[1]q\n", flags.Arg(0))
		return nil, errUse
	case given["text"]:
		s.questions = []question{own}
	case given["choices"]:
		fmt.Fprintln(stderr, "choose: -choices are for a question of yours: pass it with -text")
		return nil, errUse
	case given["type"]:
		s.questions = slices.Clone(samples)
		for i := range s.questions {
			s.questions[i].kind = own.kind
		}
	}
	return s, nil
}

func (s *settings) work(ctx context.Context, stdout, stderr io.Writer) error {
	library, err := uform.Open(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "choose: with libuform %v\n", library.Origin())
	model, err := load(ctx, library, s.model)
	if err != nil {
		return err
	}
	defer model.Close()
	return ask(ctx, model, s.questions, stdout)
}

// load loads the model at path, or the embedded one.
func load(ctx context.Context, library *uform.Library, path string) (*uform.Model, error) {
	if path == "" {
		return words.Load(ctx, library, nil)
	}
	return library.Load(ctx, path, nil)
}

// ask asks all questions in one call, and prints the answers.
func ask(ctx context.Context, model *uform.Model, questions []question, stdout io.Writer) error {
	var texts, choices uform.Tape
	kinds := make([]uint32, len(questions))
	for i, q := range questions {
		texts.AppendString(q.text)
		choices.AppendString(q.choices)
		kinds[i] = q.kind
	}
	arena, err := model.Library().NewArena(nil)
	if err != nil {
		return err
	}
	defer arena.Close()
	chosen, err := model.TextChoose(ctx, texts, choices, arena, &uform.ChooseOptions{QuestionTypes: kinds})
	switch {
	case errors.Is(err, uform.ErrUnsupported):
		return fmt.Errorf("the model cannot choose, as it has no byte decoder: %w", err)
	case err != nil:
		return err
	}
	var out bytes.Buffer
	for i, rows := range chosen.Probabilities.All() {
		var probabilities []float32
		for _, row := range rows.All() {
			probabilities = append(probabilities, row[0])
		}
		report(&out, questions[i], probabilities)
	}
	_, err = stdout.Write(out.Bytes())
	return err
}

// report prints a question and how probable each of its choices is.
func report(out *bytes.Buffer, q question, probabilities []float32) {
	const width = 30
	fmt.Fprintln(out, q.text)
	best := float32(0)
	for _, p := range probabilities {
		best = max(best, p)
	}
	for i, p := range probabilities {
		mark := ' '
		if p == best {
			mark = '*'
		}
		bar := strings.Repeat("#", int(math.Round(width*float64(p))))
		fmt.Fprintf(out, " %c %c %6.2f%% %s\n", mark, q.choices[i], 100*p, bar)
	}
	fmt.Fprintln(out)
}
