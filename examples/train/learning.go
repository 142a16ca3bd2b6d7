package main

import (
	"context"
	"io"
	"math/rand/v2"

	"github.com/unum-cloud/uform-go/uform"
)

// plan is the parameters of a run.
type plan struct {
	steps, batch int
	rate         float64
	seed         uint64
}

// learn trains from a checkpoint, together with the other processes that mpirun has started, if
// any, saves the run at out, and returns the loss of each step. If the context ends, training ends
// earlier, without an error.
func (p *plan) learn(ctx context.Context, library *uform.Library, start []byte, pairs []pair, out string, stderr io.Writer) ([]float64, error) {
	executor, err := library.NewExecutor(&uform.ExecutorOptions{WithCaller: true})
	if err != nil {
		return nil, err
	}
	defer executor.Close()
	process, processes := uform.Launched()
	trainer, err := library.NewTrainerBytes(ctx, start, executor, &uform.TrainerOptions{Seed: p.seed, Process: process, Processes: processes})
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	on := trainer.On(executor)
	bar := newBar(stderr, p.steps)
	defer bar.end()
	deck := &deck{pairs: pairs, groups: groups(pairs), random: rand.New(rand.NewPCG(p.seed, 2))}
	var losses []float64
	for step := range p.steps {
		stepped, err := on.Step(ctx, deck.deal(p.batch, process, processes), nil, &uform.StepOptions{LearningRate: p.rateOf(step)})
		if err != nil {
			if ctx.Err() != nil && len(losses) > 0 {
				break
			}
			return nil, err
		}
		losses = append(losses, stepped.Loss)
		bar.show(step+1, stepped.Loss)
	}
	return losses, on.Save(context.WithoutCancel(ctx), out, nil)
}

// rateOf rises over the first tenth of the steps, and falls to a twentieth from there.
func (p *plan) rateOf(step int) float64 {
	rising := max(1, p.steps/10)
	if step < rising {
		return p.rate * float64(step+1) / float64(rising)
	}
	left := float64(p.steps-step) / float64(p.steps-rising+1)
	return p.rate * max(0.05, left)
}

// deck returns pairs in a random order. It returns all of them before one is repeated.
type deck struct {
	pairs  []pair
	groups []uint32
	random *rand.Rand
	order  []int
}

// deal returns a process's examples of some pairs: both texts of each, in one group. All processes
// draw the same pairs, and each uses its part of them.
func (d *deck) deal(count, process, processes int) uform.Examples {
	var texts []string
	var examples uform.Examples
	for i := range min(count, len(d.pairs)) {
		if len(d.order) == 0 {
			d.order = d.random.Perm(len(d.pairs))
		}
		next := d.order[0]
		d.order = d.order[1:]
		if i%processes != process {
			continue
		}
		texts = append(texts, d.pairs[next].left, d.pairs[next].right)
		examples.Groups = append(examples.Groups, d.groups[next], d.groups[next])
	}
	examples.Contents = uform.Strings(texts)
	return examples
}
