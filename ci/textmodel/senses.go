package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/ci/textmodel/judge"
	"github.com/unum-cloud/uform-go/ci/textmodel/senses"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
)

const (
	sensesRate   = 1e-3
	sensesNames  = 64 // names of pictures per step, and as many words
	spokenWords  = 800
	sensesLayers = 2
)

// sensing returns the architecture of a model of texts, pictures and sound: the tables of words,
// and layers over tokens of all kinds.
func sensing(config *model.Config) *model.Config {
	sensing := *config
	sensing.Modalities = []string{"text", "image", "audio"}
	sensing.Layers, sensing.Heads, sensing.Hidden, sensing.Skip = sensesLayers, heads, hidden, true
	sensing.Lexical, sensing.Decoder = nil, nil
	sensing.Image = &model.Image{Side: 32, Patch: 8}
	sensing.Audio = &model.Audio{Rate: 16000, Window: 400, Hop: 160, Mels: 40, Low: 20, High: 7600, Frames: 8, Mean: -6, Deviation: 4}
	return &sensing
}

// sense trains a model that matches a text with its picture and its spoken word, and prints how
// often it does.
func (s *settings) sense(ctx context.Context, out io.Writer) error {
	file, err := os.ReadFile(s.checkpoint)
	if err != nil {
		return err
	}
	weights, err := model.ReadWeights(file)
	if err != nil {
		return err
	}
	trainer, err := beginOver(weights, sensing(&weights.Config), train.Options{
		Optimizer: model.Training{LearningRate: sensesRate, Beta1: 0.9, Beta2: 0.98, Clip: 1},
	})
	if err != nil {
		return err
	}
	defer trainer.Close()
	config := trainer.Config()
	pictures, err := senses.Pictures(filepath.Join(s.folders.Sources, "npm", "node_modules"), config.Image)
	if err != nil {
		return err
	}
	words, err := s.folders.Words(4 * spokenWords)
	if err != nil {
		return err
	}
	words = slices.DeleteFunc(words, func(word string) bool { return len(word) < 4 })[:spokenWords]
	spoken, err := senses.Speech(filepath.Join(s.folders.Sources, "espeak"), words, slices.Concat(senses.Voices, senses.HeldVoices), config.Audio)
	if err != nil {
		return err
	}
	c := newSchool(pictures, spoken)
	fmt.Fprintf(out, "%d pictures of %d names, %d words spoken by %d voices\n",
		len(pictures), len(c.pictures.names), len(c.words.names), len(senses.Voices)+len(senses.HeldVoices))
	if err := c.target(ctx, trainer); err != nil {
		return err
	}

	kept := map[string][]float32{"bytes": slices.Clone(trainer.Tensor("bytes")), "grams": slices.Clone(trainer.Tensor("grams"))}
	draw := rand.New(rand.NewPCG(seed, 8))
	begin := time.Now()
	for step := range s.steps {
		stats, err := trainer.Step(ctx, c.batch(draw), &train.StepOptions{
			LearningRate: sensesRate * min(1, float64(step+1)/100) * (1 - 0.95*float64(step)/float64(s.steps)),
			Losses:       &train.Losses{Contrast: 0.3, Temperature: temperature, Cosine: 1, Similarity: 2},
		})
		if err != nil {
			return err
		}
		for name, weights := range kept {
			copy(trainer.Tensor(name), weights)
		}
		if done := step + 1; done%s.every == 0 || done == s.steps {
			fmt.Fprintf(out, "sense: step %d of %d, %.0f s: loss %.3f\n", done, s.steps, time.Since(begin).Seconds(), stats.Loss)
		}
	}
	packed, err := packSensing(trainer)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d bytes\n", len(packed))
	again, err := train.New(packed, &train.Options{Spread: train.Threads(threads)})
	if err != nil {
		return err
	}
	defer again.Close()
	if err := c.judge(ctx, again, out); err != nil {
		return err
	}
	return os.WriteFile(s.senses, packed, 0o644)
}

// subject is named pictures, or named sounds. Held-out names are not in training.
type subject struct {
	modality abi.Modality
	things   map[string][]senses.Named
	names    []string
	learned  []string
	held     []string
	targets  map[string][]float32
}

func newSubject(modality abi.Modality, things []senses.Named) *subject {
	s := &subject{modality: modality, things: map[string][]senses.Named{}, targets: map[string][]float32{}}
	for _, thing := range things {
		if s.things[thing.Name] == nil {
			s.names = append(s.names, thing.Name)
		}
		s.things[thing.Name] = append(s.things[thing.Name], thing)
	}
	for _, name := range s.names {
		h := fnv.New32a()
		h.Write([]byte(name))
		if h.Sum32()%10 == 0 {
			s.held = append(s.held, name)
		} else {
			s.learned = append(s.learned, name)
		}
	}
	return s
}

// school is the training data.
type school struct{ pictures, words *subject }

func newSchool(pictures, spoken []senses.Named) *school {
	return &school{newSubject(abi.ModalityImage, pictures), newSubject(abi.ModalityAudio, spoken)}
}

// target stores the model's embeddings of each name before training: the targets of pictures.
func (c *school) target(ctx context.Context, trainer *train.Trainer) error {
	for _, s := range []*subject{c.pictures, c.words} {
		vectors, err := embedTexts(ctx, trainer, s.names)
		if err != nil {
			return err
		}
		for i, name := range s.names {
			s.targets[name] = vectors[i]
		}
	}
	return nil
}

// batch returns names with one of the pictures or sounds of each.
func (c *school) batch(draw *rand.Rand) *train.Batch {
	b := &train.Batch{}
	for _, s := range []*subject{c.pictures, c.words} {
		for _, at := range draw.Perm(len(s.learned))[:min(sensesNames, len(s.learned))] {
			name := s.learned[at]
			things := s.things[name]
			thing := things[draw.IntN(len(things))]
			for slices.Contains(senses.HeldVoices, thing.Style) {
				thing = things[draw.IntN(len(things))]
			}
			b.Items = append(b.Items, train.Item{Text: []byte(name)}, train.Item{Modality: s.modality, Patches: thing.Patches})
			b.Targets = append(b.Targets, s.targets[name], s.targets[name])
			group := int64(len(b.Groups) / 2)
			b.Groups = append(b.Groups, group, group)
		}
	}
	return b
}

// judge prints how often a name retrieves its picture or sound.
func (c *school) judge(ctx context.Context, trainer *train.Trainer, out io.Writer) error {
	for _, test := range []struct {
		name   string
		of     *subject
		names  []string
		styles []string
	}{
		{"pictures by names that were learned", c.pictures, c.pictures.learned, senses.Styles[:1]},
		{"pictures by names that were held", c.pictures, c.pictures.held, senses.Styles[:1]},
		{"learned words by voices that were held", c.words, c.words.learned, senses.HeldVoices[:1]},
		{"held words by voices that were learned", c.words, c.words.held, senses.Voices[:1]},
		{"held words by voices that were held", c.words, c.words.held, senses.HeldVoices[:1]},
	} {
		var names []string
		var things []train.Item
		for _, name := range test.names {
			for _, thing := range test.of.things[name] {
				if slices.Contains(test.styles, thing.Style) {
					names = append(names, name)
					things = append(things, train.Item{Modality: test.of.modality, Patches: thing.Patches})
					break
				}
			}
		}
		texts, err := embedTexts(ctx, trainer, names)
		if err != nil {
			return err
		}
		rows := make([]float32, len(things)*columns)
		if err := trainer.Embed(ctx, things, rows); err != nil {
			return err
		}
		first, ten := judge.Places(texts, rowsOf(rows))
		fmt.Fprintf(out, "%s: %d, %.1f %% at first place, %.1f %% among ten\n", test.name, len(names), 100*first, 100*ten)
	}
	return nil
}

func embedTexts(ctx context.Context, trainer *train.Trainer, texts []string) ([][]float32, error) {
	items := make([]train.Item, len(texts))
	for i, text := range texts {
		items[i].Text = []byte(text)
	}
	rows := make([]float32, len(items)*columns)
	err := trainer.Embed(ctx, items, rows)
	return rowsOf(rows), err
}

func rowsOf(rows []float32) [][]float32 {
	var all [][]float32
	for ; len(rows) > 0; rows = rows[columns:] {
		all = append(all, slices.Clone(rows[:columns]))
	}
	return all
}

// beginOver starts a run of a larger architecture from a bag: its tables, a projection that takes
// the mean of the input rows as before and ignores the states, and fresh weights for the rest.
func beginOver(bag *model.Weights, config *model.Config, options train.Options) (*train.Trainer, error) {
	fresh, err := train.Fresh(config, seed)
	if err != nil {
		return nil, err
	}
	weights, err := model.ReadWeights(fresh)
	if err != nil {
		return nil, err
	}
	old := map[string][]float32{}
	for i, layout := range bag.Config.Layouts() {
		old[layout.Name] = bag.Tensors[i]
	}
	var tensors []model.Tensor
	for i, layout := range config.Layouts() {
		values := weights.Tensors[i]
		switch taken := old[layout.Name]; {
		case layout.Name == "projection":
			clear(values)
			inputs := len(taken) / columns // twice as wide with layers
			for row := range columns {
				copy(values[row*2*width+width:][:width], taken[(row+1)*inputs-width:])
			}
		case len(taken) == len(values):
			values = taken
		}
		tensors = append(tensors, model.FloatTensor(layout.Name, values, layout.Shape()...))
	}
	var file bytes.Buffer
	if err := model.Write(&file, config, tensors); err != nil {
		return nil, err
	}
	options.Optimizer.WeightDecay = 1e-30 // none: zero stands for the default
	options.Spread = train.Threads(threads)
	return train.New(file.Bytes(), &options)
}
