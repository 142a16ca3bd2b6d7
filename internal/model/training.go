package model

import (
	"fmt"
	"math"

	"github.com/unum-cloud/uform-go/errors"
)

// Training is how a model is trained: the member "training" of the configuration, which only
// trainers read. The zero value of each field is its default.
type Training struct {
	// LearningRate is 0.001 by default.
	LearningRate float64 `json:"learning_rate,omitempty"`
	// WeightDecay decays the weights of matrices to zero, 0.01 by default.
	WeightDecay float64 `json:"weight_decay,omitempty"`
	// Beta1 and Beta2 are the decay rates of the moments, 0.9 and 0.98 by default; Epsilon is added
	// to the root of the second, 1e-8 by default.
	Beta1   float64 `json:"beta1,omitempty"`
	Beta2   float64 `json:"beta2,omitempty"`
	Epsilon float64 `json:"epsilon,omitempty"`
	// Clip is the length that gradients are clipped to, 1 by default.
	Clip float64 `json:"clip,omitempty"`
	// Temperature is that of InfoNCE, 0.05 by default.
	Temperature float64 `json:"temperature,omitempty"`
}

// settings returns the fields with their ranges and defaults.
func (t *Training) settings() []setting {
	return []setting{
		{"learning_rate", &t.LearningRate, 1e-3, positive(1e3)},
		{"weight_decay", &t.WeightDecay, 0.01, within(0, 1e3)},
		{"beta1", &t.Beta1, 0.9, within(0, 0.99999)},
		{"beta2", &t.Beta2, 0.98, within(0, 0.99999)},
		{"epsilon", &t.Epsilon, 1e-8, positive(1)},
		{"clip", &t.Clip, 1, positive(math.MaxFloat32)},
		{"temperature", &t.Temperature, 0.05, positive(1e3)},
	}
}

type setting struct {
	name     string
	value    *float64
	standard float64
	allows   func(float64) bool
}

// Over returns t, with unset fields taken from saved, and then from the defaults. A value out of
// range is [errors.ErrInvalidArgument].
func (t Training) Over(saved *Training) (Training, error) {
	kept := saved.settings()
	for i, s := range t.settings() {
		if *s.value != 0 && !s.allows(*s.value) {
			return t, fmt.Errorf("%s is %v: %w", s.name, *s.value, errors.ErrInvalidArgument)
		}
		if *s.value == 0 {
			*s.value = *kept[i].value
		}
		if *s.value == 0 {
			*s.value = s.standard
		}
	}
	return t, nil
}

// ReadTraining reads the member "training" of a checkpoint's configuration; it returns the zero
// value if there is none. A value out of range is [errors.ErrMalformed]. Loading a model does not
// read it.
func ReadTraining(container *Container) (*Training, error) {
	training := &Training{}
	reader, err := newReader([]byte(container.Metadata[configName]))
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	known := fields{}
	for _, s := range training.settings() {
		known[s.name] = number(reader, s.value, func(v float64) bool { return v == 0 || s.allows(v) })
	}
	err = reader.members(nil, fields{"training": func() error { return reader.members(nil, known) }})
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return training, nil
}
