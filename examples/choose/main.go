package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// question is a text, the choices that may follow it, one byte each, and the model's type of
// question.
type question struct {
	text, choices string
	kind          uint32
}

const (
	yesOrNo = iota // the question types of the embedded model
	aToD
)

// samples are the default questions, in the words that the embedded model was trained on.
var samples = []question{
	{"Is it a person, Y or N? teacher", "YN", yesOrNo},
	{"Is it food, Y or N? hammer", "YN", yesOrNo},
	{"Is it A a person, B an animal, C a place, D a thing that was made? horse", "ABCD", aToD},
	{"Is it A a person, B an animal, C a place, D a thing that was made? island", "ABCD", aToD},
}

// settings are the options of the command line.
type settings struct {
	model     string
	questions []question
	files     []string // with questions, one per line
	own       question // what the questions of files have in common
}

func main() { command.Main(run) }

// run is the program, apart from its process. It returns the exit status.
func run(ctx context.Context, args []string, streams command.Streams) int {
	s, err := parse(args, streams.Err)
	if err == nil {
		err = s.work(ctx, streams)
	}
	return command.Status(ctx, "choose", err, streams.Err)
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := &settings{questions: samples}
	own := question{choices: "YN"}
	flags := command.Flags("choose", "Choose asks a model which of some bytes comes next: yes or no, A, B, C or D.",
		"[file or - ...]", stderr)
	flags.StringVar(&s.model, "model", "", "load the checkpoint at `path` (default that of package words)")
	flags.StringVar(&own.text, "text", "", "ask this `text`, which ends where its choice goes")
	flags.Func("choices", "choose among these `bytes`, for -text and for files (default YN)", func(choices string) error {
		// A choice is a byte; a character of several bytes would be split into choices that were
		// not meant.
		if strings.ContainsFunc(choices, func(r rune) bool { return r < ' ' || r > '~' }) {
			return errors.New("use letters, digits and signs of ASCII")
		}
		own.choices = choices
		return nil
	})
	flags.Func("type", "use the calibration of question type `n` (default that of the question, 0 for -text)", func(text string) error {
		kind, err := strconv.ParseUint(text, 10, 32)
		if own.kind = uint32(kind); err != nil {
			return errors.New("use a number from 0")
		}
		return nil
	})
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	s.files, s.own = flags.Args(), own
	switch {
	case given["text"] && len(s.files) > 0:
		return nil, command.Misuse(flags, "ask a text or the lines of files, not both")
	case given["text"]:
		s.questions = []question{own}
	case given["choices"] && len(s.files) == 0:
		return nil, command.Misuse(flags, "-choices are for questions of yours: pass one with -text, or a file of them")
	case given["type"]:
		s.questions = slices.Clone(samples)
		for i := range s.questions {
			s.questions[i].kind = own.kind
		}
	}
	return s, nil
}

// read reads the questions of the files, one a line.
func (s *settings) read(ctx context.Context, streams command.Streams) error {
	if len(s.files) == 0 {
		return nil
	}
	s.questions = nil
	for _, name := range s.files {
		file, err := streams.Open(name)
		if err != nil {
			return fmt.Errorf("%w: pass a question as -text, or name a file of questions", err)
		}
		err = command.Texts(ctx, name, file, func(line command.Text) error {
			s.questions = append(s.questions, question{line.Content, s.own.choices, s.own.kind})
			return nil
		})
		file.Close()
		if err != nil {
			return err
		}
	}
	if len(s.questions) == 0 {
		return fmt.Errorf("there are no questions in %s", strings.Join(s.files, " "))
	}
	return nil
}

func (s *settings) work(ctx context.Context, streams command.Streams) error {
	if err := s.read(ctx, streams); err != nil {
		return err
	}
	library, err := uform.Open(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(streams.Err, "choose: library: %v\n", library.Origin())
	model, err := load(ctx, library, s.model)
	if err != nil {
		return err
	}
	defer model.Close()
	return ask(ctx, model, s.questions, streams.Out)
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
