package teacher

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// weights are the tensors of the package, by their TensorFlow names.
type weights map[string][]float32

func readWeights(folder string) (weights, error) {
	file, err := os.ReadFile(filepath.Join(folder, "model.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct {
		WeightsManifest []struct {
			Paths   []string
			Weights []struct {
				Name  string
				Shape []int
				DType string
			}
		}
	}
	if err := json.Unmarshal(file, &manifest); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	all := weights{}
	for _, group := range manifest.WeightsManifest {
		var body []byte
		for _, path := range group.Paths {
			part, err := os.ReadFile(filepath.Join(folder, path))
			if err != nil {
				return nil, err
			}
			body = append(body, part...)
		}
		for _, tensor := range group.Weights {
			size := 1
			for _, side := range tensor.Shape {
				size *= side
			}
			if len(body) < 4*size {
				return nil, fmt.Errorf("tensor %s: the files end early", tensor.Name)
			}
			if tensor.DType == "float32" {
				values := make([]float32, size)
				for i := range values {
					values[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
				}
				all[tensor.Name] = values
			}
			body = body[4*size:]
		}
	}
	return all, nil
}

// find returns the one tensor whose name holds every part.
func (w weights) find(size int, parts ...string) ([]float32, error) {
	var found []float32
	for name, values := range w {
		matches := true
		for _, part := range parts {
			matches = matches && strings.Contains(name, part)
		}
		switch {
		case !matches:
		case found != nil:
			return nil, fmt.Errorf("several tensors are named %q", parts)
		case len(values) != size:
			return nil, fmt.Errorf("tensor %s holds %d numbers instead of %d", name, len(values), size)
		default:
			found = values
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no tensor is named %q", parts)
	}
	return found, nil
}

// reader takes weights by name until one is missing.
type reader struct {
	weights weights
	err     error
}

func (r *reader) vector(size int, parts ...string) []float32 {
	values, err := r.weights.find(size, parts...)
	if err != nil && r.err == nil {
		r.err = err
	}
	return values
}

// matrix packs a matrix that is stored with a row for each input.
func (r *reader) matrix(inputs, outputs int, parts ...string) *kernel.Packed {
	values := r.vector(inputs*outputs, parts...)
	if values == nil {
		return nil
	}
	return kernel.PackF32(outputs, inputs, func(output int, row []float32) {
		for i := range row {
			row[i] = values[i*outputs+output]
		}
	})
}
