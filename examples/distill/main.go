package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/platform"
	"github.com/unum-cloud/uform-go/uform"
)

func main() { command.Main(run) }

// settings are the options of the command line.
type settings struct {
	teacher, teacherModel, keyName, prefix string
	teacherBatch                           int
	texts, sts, out, from                  string
	start                                  []byte // what from names
	size                                   string
	shape                                  shape
	bits                                   int
	plan                                   plan
}

// run is the program, apart from its process. It returns the exit status.
func run(ctx context.Context, args []string, streams command.Streams) int {
	s, err := parse(args, streams.Err)
	if err == nil {
		err = s.work(ctx, streams)
	}
	return command.Status(ctx, "distill", err, streams.Err)
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := command.Flags("distill", "Distill teaches a small byte model what a teacher model says.", "", stderr)
	flags.StringVar(&s.teacher, "teacher", "", "learn from the model at `path`, or from the OpenAI-compatible endpoint at http://host/v1")
	flags.StringVar(&s.teacherModel, "teacher-model", "", "the `name` of the endpoint's model")
	flags.StringVar(&s.keyName, "teacher-key", "OPENAI_API_KEY", "the `name` of the environment variable with the endpoint's key")
	flags.IntVar(&s.teacherBatch, "teacher-batch", 64, "send `n` texts to the endpoint in one request")
	flags.StringVar(&s.prefix, "prefix", "", "put `text` before each line for the teacher alone, such as \"query: \"")
	flags.StringVar(&s.texts, "texts", "", "learn the lines of the file at `path`, or of standard input as -")
	flags.StringVar(&s.out, "o", "distilled.safetensors", "write the model to `path`")
	flags.StringVar(&s.sts, "sts", "", "evaluate on the pairs of the STS benchmark's file at `path`, too")
	flags.StringVar(&s.from, "from", "", "begin with the checkpoint at `path` instead of a new student")
	flags.StringVar(&s.size, "size", "small", "the student's `size`: tiny, small, base or large, in steps of about four")
	flags.IntVar(&s.shape.Columns, "columns", 0, "`n` scalars of an embedding (default those of the teacher)")
	flags.IntVar(&s.shape.Width, "width", 0, "`n` scalars of a state (default that of the size)")
	flags.IntVar(&s.shape.Grams, "grams", 0, "`n` rows of the table of n-grams (default that of the size)")
	flags.IntVar(&s.shape.Layers, "layers", 0, "`n` layers of a transformer over the rows (default none: word order does not count)")
	flags.IntVar(&s.shape.Heads, "heads", 0, "`n` heads of a layer (default one for each 32 of the width)")
	flags.IntVar(&s.shape.Hidden, "hidden", 0, "inner width `n` of a layer (default four times the width)")
	flags.IntVar(&s.shape.Context, "context", 0, "`n` bytes of the longest text (default 2048)")
	flags.IntVar(&s.bits, "bits", 4, "`n` bits of a weight in the file: 4 (8 outside of tables), 8, 16 or 32")
	flags.IntVar(&s.plan.Passes, "passes", 10, "learn from each line `n` times")
	flags.IntVar(&s.plan.Batch, "batch", 256, "learn from `n` lines in a step")
	flags.Float64Var(&s.plan.Rate, "rate", 0, "the highest learning `rate` (default 0.01, with layers 0.002)")
	flags.Float64Var(&s.plan.Warmup, "warmup", 0.02, "the `share` of the steps in which the rate rises")
	flags.StringVar(&s.plan.Decay, "decay", "linear", "how the `rate` falls: linear, cosine or none")
	flags.TextVar(&s.plan.Noise, "noise", noise{}, "`shares` of inputs to change: 0.1, or typos=0.3,case=0.1,punctuation=0.1")
	flags.Uint64Var(&s.plan.Seed, "seed", 1, "draw by this `number`: the same one gives the same file")
	flags.IntVar(&s.plan.Points, "points", 20, "measure `n` times during the run")
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	return s, s.check(flags)
}

// check reports values of the command line that cannot be meant.
func (s *settings) check(flags *flag.FlagSet) error {
	p := &s.plan
	_, known := sizes[s.size]
	switch {
	case flags.NArg() > 0:
		return command.Misuse(flags, "%q is no flag: name files by -teacher, -texts and -o", flags.Arg(0))
	case s.teacher == "" || s.texts == "":
		return command.Misuse(flags, "name a teacher by -teacher and a file of lines by -texts")
	case slices.Contains([]string{".vectors", ".run", ".svg"}, filepath.Ext(s.out)):
		return command.Misuse(flags, "-o ends in %s, as a file beside it will: use another ending", filepath.Ext(s.out))
	case isEndpoint(s.teacher) != (s.teacherModel != ""):
		return command.Misuse(flags, "-teacher-model goes with the address of an endpoint, and only with one")
	case s.teacherBatch < 1:
		return command.Misuse(flags, "a request has at least one text")
	case !known:
		return command.Misuse(flags, "-size is %q: use one of %s", s.size, strings.Join(slices.Sorted(maps.Keys(sizes)), ", "))
	case s.from != "" && s.shape != shape{}:
		return command.Misuse(flags, "a student that begins with a checkpoint has the sizes of that")
	case s.from == "" && s.shape.fault(s.size) != nil:
		return command.Misuse(flags, "%v", s.shape.fault(s.size))
	case !slices.Contains([]int{4, 8, 16, 32}, s.bits):
		return command.Misuse(flags, "-bits is %d: use 4, 8, 16 or 32", s.bits)
	case p.Passes < 1 || p.Batch < 2 || p.Points < 1:
		return command.Misuse(flags, "a run has at least one pass and one point, a step at least two lines")
	case !(p.Rate >= 0) || !(p.Warmup >= 0 && p.Warmup <= 1):
		return command.Misuse(flags, "a rate is not below 0, and -warmup is a share from 0 to 1")
	case !slices.Contains([]string{"linear", "cosine", "none"}, p.Decay):
		return command.Misuse(flags, "-decay is %q: use linear, cosine or none", p.Decay)
	}
	return nil
}

// beside returns the path of a file beside the checkpoint.
func (s *settings) beside(extension string) string {
	return strings.TrimSuffix(s.out, filepath.Ext(s.out)) + extension
}

// checkFiles reports, before hours of work, what would keep the files from being written, an input
// that one of them would replace, and a checkpoint that cannot be begun with. It reads that one.
func (s *settings) checkFiles() (err error) {
	if folder, err := os.Stat(filepath.Dir(s.out)); err != nil {
		return err
	} else if !folder.IsDir() {
		return fmt.Errorf("%s is no folder", filepath.Dir(s.out))
	}
	for _, extension := range []string{filepath.Ext(s.out), ".vectors", ".run", ".svg"} {
		path := s.beside(extension)
		if err := platform.Replaceable(path); err != nil {
			return err
		}
		there, err := os.Stat(path)
		if err != nil {
			continue
		}
		for _, input := range []string{s.texts, s.sts, s.teacher} {
			if info, err := os.Stat(input); err == nil && os.SameFile(there, info) {
				return fmt.Errorf("%s would be replaced: name another -o", input)
			}
		}
	}
	if s.from == "" {
		return nil
	}
	if s.start, err = os.ReadFile(s.from); err != nil {
		return err
	}
	if _, err := configOf(s.start); err != nil {
		return fmt.Errorf("%s: %w", s.from, err)
	}
	return nil
}

// work teaches a student, and prints the results.
func (s *settings) work(ctx context.Context, streams command.Streams) error {
	if err := s.checkFiles(); err != nil {
		return err
	}
	lines, err := readLines(streams, s.texts)
	if err != nil {
		return err
	}
	var scoredTexts []string
	var pairs []scored
	if s.sts != "" {
		if scoredTexts, pairs, err = readScored(streams, s.sts); err != nil {
			return err
		}
	}
	l, err := split(lines, scoredTexts, s.plan.Seed)
	if err != nil {
		return fmt.Errorf("%s: %w", s.texts, err)
	}
	library, err := uform.Open(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(streams.Err, "distill: library: %v\n", library.Origin())
	fmt.Fprintf(streams.Out, "%d lines to learn from, %d held out", len(l.learned), len(l.held))
	if l.dropped > 0 {
		fmt.Fprintf(streams.Out, ", %d left out as near copies of texts to measure on", l.dropped)
	}
	fmt.Fprintln(streams.Out)
	held := min(len(l.held), mostJudged)
	for i := range pairs {
		pairs[i].a += held
		pairs[i].b += held
	}
	judged := slices.Concat(l.held[:held], scoredTexts)
	wanted, err := s.ask(ctx, library, slices.Concat(judged, l.learned), streams.Err)
	if err != nil {
		return err
	}
	j := newJudge(judged, held, pairs, wanted, s.plan.Seed)
	return s.learn(ctx, library, l.learned, j, streams)
}

// ask returns the teacher's vectors of texts.
func (s *settings) ask(ctx context.Context, library *uform.Library, texts []string, stderr io.Writer) (wanted *vectors, err error) {
	var from teacher
	if isEndpoint(s.teacher) {
		from = newEndpoint(s.teacher, s.teacherModel, os.Getenv(s.keyName), s.teacherBatch)
	} else if from, err = openLocal(ctx, library, s.teacher); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	if s.prefix != "" {
		from = &prefixed{from, s.prefix}
	}
	var progress *bar
	wanted, err = teach(ctx, from, s.beside(".vectors"), texts, func(done, total int) {
		if progress == nil {
			progress = newBar(stderr, total, done)
		}
		progress.show(done, fmt.Sprintf("teacher: %d of %d texts", done, total))
	})
	if progress != nil {
		progress.end()
	}
	return wanted, err
}

// student returns the checkpoint that the run begins with.
func (s *settings) student(texts []string, columns int) ([]byte, error) {
	if s.start != nil {
		return s.start, nil
	}
	return fresh(s.shape.architecture(s.size, columns), texts, s.plan.Seed)
}

// digest returns a name for all that the result of a run depends on.
func (s *settings) digest(student []byte, texts []string, j *judge) (string, error) {
	hash := sha256.New()
	for _, part := range []any{s.plan, student, texts, j.texts, j.wanted.halves[:j.wanted.columns]} {
		if err := json.NewEncoder(hash).Encode(part); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// learn runs the training, or what an interrupt left of it, and writes the model and its curve.
func (s *settings) learn(ctx context.Context, library *uform.Library, texts []string, j *judge, streams command.Streams) error {
	file, err := s.student(texts, j.wanted.columns)
	if err != nil {
		return err
	}
	of, err := s.digest(file, texts, j)
	if err != nil {
		return err
	}
	kept := s.beside(".run")
	now, checkpoint, err := resume(kept, of)
	switch {
	case err != nil:
		return err
	case now == nil:
		now, checkpoint = &state{Of: of}, file
	default:
		fmt.Fprintf(streams.Err, "distill: continues after step %d\n", now.Step)
	}
	l, err := newLearner(&s.plan, checkpoint, texts, j)
	if err != nil {
		return err
	}
	defer l.trainer.Close()
	fmt.Fprintf(streams.Out, "the loss: %s\n", l.says)
	if len(j.scored) > 0 {
		fmt.Fprintf(streams.Out, "teacher STS %.4f\n", j.teachers())
	}
	if err := l.measure(ctx, now, kept); err != nil {
		return err
	}
	fmt.Fprintf(streams.Out, "before  %s\n", j.print(now.Curve[0].Figures))
	if err := l.learn(ctx, now, kept, streams.Err); err != nil {
		return err
	}
	return s.finish(ctx, library, l, now, streams.Out)
}

// finish writes the model and the curve, and tells what the model is worth as others will load it.
func (s *settings) finish(ctx context.Context, library *uform.Library, l *learner, now *state, stdout io.Writer) error {
	packed, err := pack(l.trainer, s.bits)
	if err != nil {
		return err
	}
	if err := replaceBytes(s.out, packed); err != nil {
		return err
	}
	student, err := openLocal(ctx, library, s.out)
	if err != nil {
		return err
	}
	figures, err := l.judge.of(ctx, student.embed)
	if err := errors.Join(err, student.close()); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "after   %s\n", l.judge.print(figures))
	if err := replaceBytes(s.beside(".svg"), drawing(now.Curve, l.judge)); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "the model is %s, of %d bytes\nthe curve is %s\nthe teacher's vectors are %s, for another run\n",
		s.out, len(packed), s.beside(".svg"), s.beside(".vectors"))
	if err := os.Remove(s.beside(".run")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
