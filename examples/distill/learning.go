package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/internal/model"
)

// plan is the parameters of a run: with the texts and the student, all that its result depends on.
type plan struct {
	Passes, Batch int
	Rate          float64 // zero is 0.01 without layers and 0.002 with some
	Warmup        float64 // a share of the steps
	Decay         string  // linear, cosine or none
	Noise         noise
	Seed          uint64
	Points        int // of the curve
}

// lowest is where a decay ends, as a share of the highest rate.
const lowest = 0.05

// rateOf returns the learning rate of a step, counted from 0.
func (p *plan) rateOf(step, steps int) float64 {
	rising := int(p.Warmup * float64(steps))
	if step < rising {
		return p.Rate * float64(step+1) / float64(rising)
	}
	done := float64(step-rising) / float64(max(1, steps-rising))
	switch p.Decay {
	case "linear":
		return p.Rate * max(lowest, 1-done)
	case "cosine":
		return p.Rate * (lowest + (1-lowest)*(1+math.Cos(math.Pi*done))/2)
	}
	return p.Rate
}

// learner is a run under way.
type learner struct {
	plan    *plan
	trainer *train.Trainer
	losses  *train.Losses
	says    string // what the loss is
	texts   []string
	targets *vectors // of texts, from first on
	first   int
	steps   int
	point   int // how many steps lie between two points of the curve
	judge   *judge

	kept  time.Time
	order []int // of the texts in one pass
	pass  int
}

// newLearner starts or continues a run from a checkpoint. The judge's vectors are those of its own
// texts and of texts.
func newLearner(p *plan, checkpoint []byte, texts []string, j *judge) (*learner, error) {
	config, err := configOf(checkpoint)
	if err != nil {
		return nil, err
	}
	if p.Rate == 0 {
		p.Rate = 0.01
		if config.Layers > 0 {
			p.Rate = 0.002
		}
	}
	p.Batch = min(p.Batch, len(texts))
	l := &learner{plan: p, texts: texts, targets: j.wanted, first: len(j.texts), judge: j, kept: time.Now()}
	l.steps = (p.Passes*len(texts) + p.Batch - 1) / p.Batch
	l.point = max(1, l.steps/p.Points)
	l.losses, l.says = losses(config, j.wanted.columns)
	j.aligned = aligned(config, j.wanted.columns)
	l.trainer, err = train.New(checkpoint, &train.Options{Optimizer: optimizer(config, p.Rate)})
	return l, err
}

// optimizer returns the settings of the run. A bag learns best without decay and clipping: most of
// its rows rest in most steps.
func optimizer(config *model.Config, rate float64) model.Training {
	const none = 1e-30 // zero stands for the default
	if config.Layers == 0 {
		return model.Training{LearningRate: rate, WeightDecay: none, Beta1: 0.9, Beta2: 0.99, Clip: 1 / none}
	}
	return model.Training{LearningRate: rate, Beta1: 0.9, Beta2: 0.99, Clip: 1}
}

// batch returns what a step learns from. It depends on the step alone, so a run that was
// interrupted continues as if it had not been.
func (l *learner) batch(step int) *train.Batch {
	random := rand.New(rand.NewPCG(l.plan.Seed^0x6E6F697365, uint64(step)))
	b := &train.Batch{}
	for i := range l.plan.Batch {
		at := step*l.plan.Batch + i
		if pass := at / len(l.texts); l.order == nil || pass != l.pass {
			l.pass, l.order = pass, rand.New(rand.NewPCG(l.plan.Seed, 4+uint64(pass))).Perm(len(l.texts))
		}
		text := l.order[at%len(l.texts)]
		target := make([]float32, l.targets.columns)
		l.targets.row(target, l.first+text)
		b.Items = append(b.Items, train.Item{Text: []byte(l.plan.Noise.Apply(random, l.texts[text]))})
		b.Targets = append(b.Targets, target)
	}
	return b
}

// embed returns the student's vectors with its present weights.
func (l *learner) embed(ctx context.Context, texts []string) (rows [][]float32, err error) {
	const at = 256
	columns := l.trainer.Config().EmbeddingColumns()
	for len(texts) > 0 {
		now := texts[:min(at, len(texts))]
		texts = texts[len(now):]
		items := make([]train.Item, len(now))
		for i, text := range now {
			items[i].Text = []byte(text)
		}
		part := make([]float32, len(now)*columns)
		if err := l.trainer.Embed(ctx, items, part); err != nil {
			return nil, err
		}
		for i := range now {
			rows = append(rows, part[i*columns:(i+1)*columns])
		}
	}
	return rows, nil
}

// often is the least time between two files of a run, unless it is interrupted: a large one has a
// gigabyte.
const often = time.Minute

// learn makes the steps and takes the points of the curve that s does not have yet. It keeps s at
// path now and then with a point, and when ctx ends.
func (l *learner) learn(ctx context.Context, s *state, path string, stderr io.Writer) error {
	bar := newBar(stderr, l.steps, s.Step)
	defer bar.end()
	for {
		err := l.measure(ctx, s, path)
		if err == nil && ctx.Err() == nil {
			if s.Step == l.steps {
				return nil
			}
			err = l.step(ctx, s)
		}
		switch {
		case ctx.Err() != nil:
			if err := s.keep(path, l.trainer); err != nil {
				fmt.Fprintf(stderr, "distill: the run could not be kept: %v\n", err)
			}
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("step %d: %w", s.Step+1, err)
		}
		bar.show(s.Step, fmt.Sprintf("step %d of %d, loss %.3f, rank agreement %.3f", s.Step, l.steps, s.last, s.Curve[len(s.Curve)-1].Figures.Rank))
	}
}

// measure takes the point of the curve that is due after the steps of s, if there is one.
func (l *learner) measure(ctx context.Context, s *state, path string) error {
	due := s.Step%l.point == 0 || s.Step == l.steps
	if !due || len(s.Curve) > 0 && s.Curve[len(s.Curve)-1].Step == s.Step {
		return nil
	}
	figures, err := l.judge.of(ctx, l.embed)
	if err != nil {
		return err
	}
	s.Curve = append(s.Curve, point{s.Step, s.Losses / float64(max(1, s.Summed)), figures})
	s.Losses, s.Summed = 0, 0
	if time.Since(l.kept) < often {
		return nil
	}
	l.kept = time.Now()
	return s.keep(path, l.trainer)
}

func (l *learner) step(ctx context.Context, s *state) error {
	stats, err := l.trainer.Step(ctx, l.batch(s.Step), &train.StepOptions{
		LearningRate: l.plan.rateOf(s.Step, l.steps), Losses: l.losses,
	})
	if err != nil {
		return err
	}
	s.Step++
	s.Losses += stats.Loss
	s.Summed++
	s.last = stats.Loss
	return nil
}

// bar draws the progress of one part of the work.
type bar struct {
	line        *command.Line
	from, total int
	begun       time.Time
}

func newBar(out io.Writer, total, from int) *bar {
	return &bar{line: command.NewLine(out, 5*time.Second), total: total, from: from, begun: time.Now()}
}

// show draws what is done, of which the part before from took no time.
func (b *bar) show(done int, text string) {
	if done < b.total && !b.line.Due() {
		return
	}
	if done > b.from {
		left := time.Since(b.begun) / time.Duration(done-b.from) * time.Duration(b.total-done)
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	b.line.Draw(command.Bar(float64(done)/float64(b.total)) + " " + text)
}

func (b *bar) end() { b.line.End() }
