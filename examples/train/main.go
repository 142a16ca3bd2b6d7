package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

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
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings are what the command line says.
type settings struct {
	model string
	pairs string // none for those of its own
	out   string
	plan  plan
}

// run is the program, apart from the process that it runs in. It answers the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return succeeded
	case err != nil:
		return misused
	}
	tells, reports := stdout, stderr
	if process, _ := uform.Launched(); process > 0 { // the first one speaks for all
		tells, reports = io.Discard, io.Discard
	}
	switch err := s.work(ctx, tells, reports); {
	case err == nil && ctx.Err() == nil:
		return succeeded
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "train: interrupted")
		return interrupted
	default:
		fmt.Fprintln(stderr, "train:", err)
		return failed
	}
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "Usage: train [flags] [pairs.tsv [out.safetensors]]")
		flags.PrintDefaults()
	}
	flags.StringVar(&s.model, "model", "", "begin with the checkpoint at `path` (default that of package mini)")
	flags.IntVar(&s.plan.steps, "steps", 150, "make `n` steps")
	flags.IntVar(&s.plan.batch, "batch", 48, "learn from `n` pairs in a step")
	flags.Float64Var(&s.plan.rate, "rate", 0.003, "the highest learning `rate`")
	flags.Uint64Var(&s.plan.seed, "seed", 1, "shuffle by this `number`")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 2:
		flags.Usage()
		return nil, errors.New("arguments")
	case s.plan.steps < 1 || s.plan.batch < 2 || !(s.plan.rate > 0):
		fmt.Fprintln(stderr, "train: a run has at least one step, a step at least two pairs, and a rate above 0")
		return nil, errors.New("plan")
	}
	s.pairs = flags.Arg(0)
	if s.out = flags.Arg(1); s.out == "" {
		s.out = filepath.Join(os.TempDir(), "uform-trained.safetensors")
	}
	return s, nil
}

// writable says what will keep a checkpoint from being written at path, or what it would replace, while nothing is learned yet.
func writable(path, pairs string) error {
	if folder, err := os.Stat(filepath.Dir(path)); err != nil {
		return err
	} else if !folder.IsDir() {
		return fmt.Errorf("%s is no folder", filepath.Dir(path))
	}
	there, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if there.IsDir() {
		return fmt.Errorf("%s is a folder: name a file for the checkpoint", path)
	}
	if input, err := os.Stat(pairs); err == nil && os.SameFile(there, input) {
		return fmt.Errorf("the checkpoint would replace %s: name another file for it", pairs)
	}
	return nil
}

// work learns, and tells what came of it.
func (s *settings) work(ctx context.Context, stdout, stderr io.Writer) error {
	all := phrases()
	if s.pairs != "" {
		var err error
		if all, err = readPairs(s.pairs); err != nil {
			return err
		}
	}
	learned, held, err := split(all, s.plan.seed)
	if err != nil {
		return err
	}
	if err := writable(s.out, s.pairs); err != nil {
		return err
	}
	library, err := uform.Open(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "train: with libuform %v\n", library.Origin())
	start := mini.Checkpoint()
	if s.model != "" {
		if start, err = os.ReadFile(s.model); err != nil {
			return err
		}
	}
	if process, _ := uform.Launched(); process > 0 {
		_, err := s.plan.learn(ctx, library, start, learned, s.out, stderr)
		return err
	}
	if _, err := fmt.Fprintf(stdout, "%d pairs to learn from, %d held out\n", len(learned), len(held)); err != nil {
		return err
	}
	if err := judge(ctx, library, start, held, stdout, "before"); err != nil {
		if s.model != "" && errors.Is(err, uform.ErrMalformed) {
			return fmt.Errorf("%s: %w", s.model, err)
		}
		return err
	}
	losses, err := s.plan.learn(ctx, library, start, learned, s.out, stderr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d steps: the loss went from %.3f to %.3f\n", len(losses), losses[0], losses[len(losses)-1])
	trained, err := os.ReadFile(s.out)
	if err != nil {
		return err
	}
	// What was learned before an interrupt counts all the same.
	if err := judge(context.WithoutCancel(ctx), library, trained, held, stdout, "after"); err != nil {
		return err
	}
	drawing := strings.TrimSuffix(s.out, filepath.Ext(s.out)) + ".svg"
	if err := os.WriteFile(drawing, curve(losses), 0o666); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "the model is %s\nthe curve of its loss is %s\n", s.out, drawing)
	return err
}
