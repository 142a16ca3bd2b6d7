package train

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

// stepName is the member of a file's metadata that holds the number of applied steps. It marks a
// file that a trainer saved.
const stepName = "uform.step"

// state is a saved run's state as its file holds it.
type state struct {
	settings model.Training
	step     uint64
}

func readState(weights *model.Weights) (*state, error) {
	settings, err := model.ReadTraining(weights.Container)
	if err != nil {
		return nil, err
	}
	s := &state{settings: *settings}
	text, saved := weights.Container.Metadata[stepName]
	if !saved {
		return s, nil
	}
	if s.step, err = strconv.ParseUint(text, 10, 63); err != nil {
		return nil, fmt.Errorf("metadata: %s is %q instead of a number of steps: %w", stepName, text, errors.ErrMalformed)
	}
	for _, layout := range weights.Config.Layouts() {
		if isFixed(layout.Name) {
			continue
		}
		first, second := momentNames(layout.Name)
		_, one := weights.Container.Tensors[first]
		_, other := weights.Container.Tensors[second]
		if one != other {
			return nil, fmt.Errorf("tensor %q has one of its moments and not the other: %w", layout.Name, errors.ErrMalformed)
		}
		for _, name := range []string{first, second} {
			tensor, found := weights.Container.Tensors[name]
			if found && (tensor.DType != model.F32 || !slices.Equal(tensor.Shape, layout.Shape())) {
				return nil, fmt.Errorf("tensor %q is %s %v instead of F32 %v: %w", name, tensor.DType, tensor.Shape, layout.Shape(), errors.ErrMalformed)
			}
		}
	}
	return s, nil
}

// takeMoments restores the moments of a file that a trainer saved. Missing ones are zero.
func (r *run) takeMoments(weights *model.Weights) error {
	if _, saved := weights.Container.Metadata[stepName]; !saved {
		return nil
	}
	for _, t := range r.all {
		if t.fixed {
			continue
		}
		first, second := momentNames(t.Name)
		for _, of := range []struct {
			name   string
			to     []float32
			lowest float32
		}{{first, t.first, -mostFinite}, {second, t.second, 0}} {
			tensor, found := weights.Container.Tensors[of.name]
			if !found {
				continue
			}
			tensor.Floats(of.to)
			for _, v := range of.to {
				if !(v >= of.lowest && v <= mostFinite) {
					return fmt.Errorf("tensor %q holds %v: %w", of.name, v, errors.ErrMalformed)
				}
			}
		}
	}
	return nil
}

// mostFinite is the largest finite float.
const mostFinite = math.MaxFloat32

// checkFinite returns an error if a file of the run could not be loaded again.
func (r *run) checkFinite() error {
	for _, t := range r.all {
		for _, values := range [][]float32{t.weights, t.first, t.second} {
			for _, v := range values {
				if !(v >= -mostFinite && v <= mostFinite) {
					return fmt.Errorf("tensor %q holds %v, since steps were too large: resume from an earlier file with a smaller learning rate: %w",
						t.Name, v, errors.ErrMalformed)
				}
			}
		}
	}
	return nil
}

// Tensors returns copies of the model's tensors as they are now, every tensor of the architecture
// as F32. With the moments, [New] can resume from a file of them.
func (t *Trainer) Tensors(moments bool) []model.Tensor {
	var tensors []model.Tensor
	for _, p := range t.all {
		tensors = append(tensors, model.FloatTensor(p.Name, p.weights, p.Shape()...))
		if moments && !p.fixed {
			first, second := momentNames(p.Name)
			tensors = append(tensors, model.FloatTensor(first, p.first, p.Shape()...), model.FloatTensor(second, p.second, p.Shape()...))
		}
	}
	return tensors
}

// Metadata returns a file's metadata, as [model.WriteContainer] takes it: the configuration with
// the settings of the run, and the step.
func (t *Trainer) Metadata() (map[string]string, error) {
	config := *t.config
	config.Training = &t.settings
	metadata, err := config.Metadata()
	if err == nil {
		metadata[stepName] = strconv.FormatUint(t.step, 10)
	}
	return metadata, err
}

// Write writes a checkpoint that models load and [New] resumes from. If weights or moments are not
// finite, it writes nothing and returns [errors.ErrMalformed].
func (t *Trainer) Write(w io.Writer) error {
	write, err := t.checkpoint()
	if err != nil {
		return err
	}
	return write(w)
}

// checkpoint returns a function that writes the run as it is now, any number of times. It copies
// the tensors once.
func (t *Trainer) checkpoint() (write func(io.Writer) error, err error) {
	if err := t.checkFinite(); err != nil {
		return nil, err
	}
	metadata, err := t.Metadata()
	if err != nil {
		return nil, err
	}
	tensors := t.Tensors(true)
	return func(w io.Writer) error { return model.WriteContainer(w, metadata, tensors) }, nil
}
