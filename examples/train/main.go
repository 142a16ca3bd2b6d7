package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

func main() { command.Main(run) }

// settings are the options of the command line.
type settings struct {
	model string
	pairs string // empty for the built-in ones
	out   string
	plan  plan
}

// run is the program, apart from its process. It returns the exit status.
func run(ctx context.Context, args []string, streams command.Streams) int {
	s, err := parse(args, streams.Err)
	if err == nil {
		if process, _ := uform.Launched(); process > 0 { // only the first one prints
			streams.Out, streams.Err = io.Discard, io.Discard
		}
		err = s.work(ctx, streams)
		if err == nil {
			err = context.Cause(ctx) // the checkpoint is saved, but the run was interrupted
		}
	}
	return command.Status(ctx, "train", err, streams.Err)
}

func parse(args []string, stderr io.Writer) (*settings, error) {
	s := new(settings)
	flags := command.Flags("train", "Train teaches a model which texts belong together.", "[pairs.tsv [out.safetensors]]", stderr)
	flags.StringVar(&s.model, "model", "", "begin with the checkpoint at `path` (default that of package mini)")
	flags.IntVar(&s.plan.steps, "steps", 150, "make `n` steps")
	flags.IntVar(&s.plan.batch, "batch", 48, "learn from `n` pairs in a step")
	flags.Float64Var(&s.plan.rate, "rate", 0.003, "the highest learning `rate`")
	flags.Uint64Var(&s.plan.seed, "seed", 1, "shuffle by this `number`")
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 2:
		return nil, command.Misuse(flags, "name a file of pairs and one for the checkpoint, not more")
	case s.plan.steps < 1 || s.plan.batch < 2 || !(s.plan.rate > 0):
		return nil, command.Misuse(flags, "a run has at least one step, a step at least two pairs, and a rate above 0")
	}
	s.pairs = flags.Arg(0)
	if s.out = flags.Arg(1); s.out == "" {
		s.out = filepath.Join(os.TempDir(), "uform-trained.safetensors")
	}
	return s, nil
}

// writable reports, before training, what would keep a checkpoint from being written at path, or
// what it would replace.
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

// work trains, and prints the results.
func (s *settings) work(ctx context.Context, streams command.Streams) error {
	stdout, stderr := streams.Out, streams.Err
	all := phrases()
	if s.pairs != "" {
		var err error
		if all, err = readPairs(streams, s.pairs); err != nil {
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
	fmt.Fprintf(stderr, "train: library: %v\n", library.Origin())
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
	// A checkpoint is saved after an interrupt, too.
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
