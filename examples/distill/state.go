package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/platform"
)

// point is a point of the curve: the mean loss of the steps since the one before, and the figures
// after them.
type point struct {
	Step    int
	Loss    float64
	Figures figures
}

// state is what a run knows besides its weights and moments. A file of it is a trainer's
// checkpoint, with the state in the metadata.
type state struct {
	// Of tells one command with its texts and its student from others.
	Of    string
	Step  int
	Curve []point
	// Losses is the sum of Summed losses since the last point.
	Losses float64
	Summed int

	last float64 // loss
}

// stateName is the member of a file's metadata that holds the state.
const stateName = "distill"

// resume returns the state and the checkpoint of a run that was interrupted, nil if there is none.
func resume(path, of string) (*state, []byte, error) {
	file, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	container, err := model.ReadContainer(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	s := new(state)
	if err := json.Unmarshal([]byte(container.Metadata[stateName]), s); err != nil {
		return nil, nil, fmt.Errorf("%s is no run of this program: remove it, or name another -o", path)
	}
	if s.Of != of {
		return nil, nil, fmt.Errorf("%s is an interrupted run with other texts or options: repeat those, remove the file, or name another -o", path)
	}
	return s, file, nil
}

// keep writes the run to a file.
func (s *state) keep(path string, trainer *train.Trainer) error {
	metadata, err := trainer.Metadata()
	if err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	metadata[stateName] = string(text)
	return replace(path, func(w io.Writer) error { return model.WriteContainer(w, metadata, trainer.Tensors(true)) })
}

// replace makes path hold what write writes. At any time it holds the old content or all of the
// new.
func replace(path string, write func(io.Writer) error) error {
	if err := platform.Replaceable(path); err != nil {
		return err
	}
	file, err := os.Create(path + ".partial")
	if err != nil {
		return err
	}
	if err = write(file); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name()) // err is more useful
	}
	return err
}

// replaceBytes is replace with what is in memory.
func replaceBytes(path string, content []byte) error {
	return replace(path, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(content))
		return err
	})
}
