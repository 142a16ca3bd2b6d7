package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/unum-cloud/uform-go/platform"
	"github.com/unum-cloud/uform-go/uform"
)

// tuning are the flags of tune.
type tuning struct {
	opening
	model        string
	output       string
	steps, batch int
	rate         float64
	seed         uint64
	threads      int
}

// newTune returns the command that trains on pairs.
func newTune() *cobra.Command {
	t := new(tuning)
	command := &cobra.Command{
		Use:   "tune pairs",
		Short: "Teach a model which texts belong together, from pairs of texts",
		Long: "tune learns from lines of two texts with a tab between them, such as questions and their answers: the\n" +
			"two are drawn together, and away from the other pairs of the step. A tenth of the pairs is held out.\n" +
			"For these it prints, before and after, how often the right second text is the nearest of all to the\n" +
			"first one. Pairs that share a text are held out together, or not at all.\n\n" +
			"Ctrl-C ends the training early and saves; tune --model OUTPUT continues a run. The output has the\n" +
			"weights in f32 and two moments of each, which pack leaves out.",
		Example: "  uform tune pairs.tsv -o tuned.safetensors\n" +
			"  uform pack tuned.safetensors small.safetensors",
		Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error { return t.run(command, args[0]) },
	}
	flags := command.Flags()
	flags.StringVar(&t.model, "model", "words", "the `model` to begin with: words, senses, mini, or the path of a checkpoint")
	flags.StringVarP(&t.output, "output", "o", "", "the `file` to write the checkpoint to")
	flags.IntVar(&t.steps, "steps", 0, "how many steps are made; by default as many as take each pair three times, at least 50")
	flags.IntVar(&t.batch, "batch", 64, "how many pairs a step learns from")
	flags.Float64Var(&t.rate, "rate", 0.001, "the highest learning rate: it rises over a tenth of the steps, and falls from there")
	flags.Uint64Var(&t.seed, "seed", 1, "what the order of pairs, and which are held out, is drawn by")
	flags.IntVar(&t.threads, "threads", 0, "how many threads work; by default one for each core")
	flags.StringVar(&t.library, "library", "", libraryUsage)
	completeModel(command, "model")
	return command
}

func (t *tuning) run(command *cobra.Command, path string) error {
	if t.output == "" {
		return usage(command, errNoOutput)
	}
	if t.steps < 0 || t.batch < 2 || !(t.rate > 0) {
		return usage(command, fmt.Errorf("a step takes at least two pairs, steps are not negative, and the rate is above 0"))
	}
	learned, held, err := t.pairs(command.InOrStdin(), path)
	if err != nil {
		return err
	}
	if err := t.writable(path); err != nil {
		return err
	}
	if t.steps == 0 {
		t.steps = max(50, 3*len(learned)/t.batch)
	}
	library, err := t.open()
	if err != nil {
		return err
	}
	ctx, out := command.Context(), command.OutOrStdout()
	fmt.Fprintf(out, "%d pairs to learn from, %d held out\n", len(learned), len(held))
	model, err := t.load(ctx, library, t.model)
	if err != nil {
		return err
	}
	if err := judge(ctx, model, held, out, "before"); err != nil {
		return err
	}
	losses, err := t.learn(ctx, library, learned, command.ErrOrStderr())
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d steps: the loss went from %.3f to %.3f\n", len(losses), losses[0], losses[len(losses)-1])
	// The checkpoint is saved after an interrupt, too.
	trained, err := library.Load(context.WithoutCancel(ctx), t.output, nil)
	if err != nil {
		return err
	}
	if err := judge(context.WithoutCancel(ctx), trained, held, out, "after"); err != nil {
		return err
	}
	if about, err := os.Stat(t.output); err == nil {
		fmt.Fprintf(out, "saved %s: %d bytes\n", t.output, about.Size())
	}
	return context.Cause(ctx)
}

// pairs reads the pairs and holds some out.
func (t *tuning) pairs(standard io.Reader, path string) (learned, held []pair, err error) {
	from := standard
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		from = file
	}
	all, err := readPairs(from, path)
	if err != nil {
		return nil, nil, err
	}
	if learned, held, err = split(all, t.seed); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return learned, held, err
}

// writable reports, before training, what would keep the checkpoint from being written.
func (t *tuning) writable(pairs string) error {
	if err := platform.Replaceable(t.output); err != nil {
		return err
	}
	probe, err := os.CreateTemp(filepath.Dir(t.output), ".uform-*")
	if err != nil {
		return err
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return err
	}
	there, err := os.Stat(t.output)
	if err != nil {
		return nil
	}
	if input, err := os.Stat(pairs); err == nil && os.SameFile(there, input) {
		return fmt.Errorf("the checkpoint would replace %s: name another file for it", pairs)
	}
	return nil
}

// learn trains, saves, and returns the loss of each step. If ctx ends, training ends earlier,
// without an error.
func (t *tuning) learn(ctx context.Context, library *uform.Library, pairs []pair, stderr io.Writer) (losses []float64, err error) {
	executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: t.threads, WithCaller: true})
	if err != nil {
		return nil, err
	}
	defer executor.Close()
	options := &uform.TrainerOptions{Seed: t.seed}
	var trainer *uform.Trainer
	if checkpoint := checkpoints[t.model]; checkpoint != nil {
		trainer, err = library.NewTrainerBytes(ctx, checkpoint(), executor, options)
	} else {
		trainer, err = library.NewTrainer(ctx, t.model, executor, options)
	}
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	on := trainer.On(executor)
	line := newProgress(stderr, "steps")
	defer line.end()
	deck := &deck{pairs: pairs, random: rand.New(rand.NewPCG(t.seed, 2))}
	for step := range t.steps {
		stepped, err := on.Step(ctx, deck.deal(t.batch), nil, &uform.StepOptions{LearningRate: t.rateOf(step)})
		if err != nil {
			if ctx.Err() != nil && len(losses) > 0 {
				break
			}
			return nil, err
		}
		losses = append(losses, stepped.Loss)
		line.show(int64(step+1), float64(step+1)/float64(t.steps), fmt.Sprintf(", loss %.3f", stepped.Loss))
	}
	return losses, on.Save(context.WithoutCancel(ctx), t.output, nil)
}

// rateOf rises over the first tenth of the steps, and falls to a twentieth from there.
func (t *tuning) rateOf(step int) float64 {
	rising := max(1, t.steps/10)
	if step < rising {
		return t.rate * float64(step+1) / float64(rising)
	}
	left := float64(t.steps-step) / float64(t.steps-rising+1)
	return t.rate * max(0.05, left)
}

// deck deals pairs in a random order, all of them before one is dealt again.
type deck struct {
	pairs  []pair
	random *rand.Rand
	order  []int
}

// deal returns the examples of some pairs: both texts of each, in its group. Two groups at least
// are among them, as a step without a contrast is none.
func (d *deck) deal(count int) uform.Examples {
	var texts []string
	var examples uform.Examples
	groups := map[uint32]bool{}
	for i := 0; i < count || len(groups) < 2; i++ {
		if len(d.order) == 0 {
			d.order = d.random.Perm(len(d.pairs))
		}
		next := d.pairs[d.order[0]]
		d.order = d.order[1:]
		texts = append(texts, next.left, next.right)
		examples.Groups = append(examples.Groups, next.group, next.group)
		groups[next.group] = true
	}
	examples.Contents = uform.Strings(texts)
	return examples
}
