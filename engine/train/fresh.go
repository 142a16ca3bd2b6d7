package train

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/unum-cloud/uform-go/internal/model"
)

// Fresh returns a checkpoint to start a run from: random weights of an architecture, which depend
// on the seed alone. Tables are small, so that learned weights soon outweigh random ones; a lexical
// lane weighs all n-grams alike. An invalid architecture is [errors.ErrInvalidArgument].
func Fresh(config *model.Config, seed uint64) ([]byte, error) {
	random := rand.New(rand.NewPCG(seed, 0x756E756D))
	var tensors []model.Tensor
	for _, layout := range config.Layouts() {
		values := make([]float32, layout.Size())
		deviation := deviationOf(config, &layout)
		for i := range values {
			values[i] = float32(deviation * random.NormFloat64())
		}
		switch {
		case strings.HasSuffix(layout.Name, "norm"), layout.Name == "lexical":
			for i := range values {
				values[i] = 1
			}
		case layout.Name == "empty":
			scale(values, float32(1/lengthOf(values)))
		}
		tensors = append(tensors, model.FloatTensor(layout.Name, values, layout.Shape()...))
	}
	var file bytes.Buffer
	if err := model.Write(&file, config, tensors); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// deviationOf returns the standard deviation of a tensor's weights. What a layer adds to its input
// is kept small.
func deviationOf(config *model.Config, layout *model.Layout) float64 {
	inner := 1 / math.Sqrt(float64(layout.Columns))
	switch name := layout.Name; {
	case name == "bytes", name == "grams":
		return 0.1
	case name == "image.positions", name == "video.times":
		return 0.1
	case strings.HasSuffix(name, "attention.output"), strings.HasSuffix(name, "feedforward.down"):
		return inner / math.Sqrt(2*float64(config.Layers))
	}
	return inner
}
