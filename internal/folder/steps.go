package folder

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// stepKind is what a step does with an embedding.
type stepKind int

const (
	stepDense stepKind = iota
	stepLayerNorm
	stepNormalize // to unit length
	stepCut       // the first columns alone
)

// step is one of the modules after the pooling.
type step struct {
	kind            stepKind
	inputs, outputs int

	linear     trunk.Linear // of stepDense
	activation func([]float32)
	residual   *trunk.Linear // of the input, nil without; without a matrix the input itself

	norm   trunk.Norm // of stepLayerNorm
	least  float64    // of stepNormalize: a length below it counts as this one
	offset float64    // of stepNormalize: is added to the length
}

// add adds a step, whose outputs are the columns from then on.
func (b *builder) add(s step) {
	s.inputs = b.columns
	if s.outputs == 0 {
		s.outputs = b.columns
	}
	b.columns = s.outputs
	b.model.steps = append(b.model.steps, s)
}

func removeNormalize(steps []step) []step {
	for len(steps) > 0 && steps[len(steps)-1].kind == stepNormalize {
		steps = steps[:len(steps)-1]
	}
	return steps
}

// unitLength is the step of sentence-transformers, and of the towers of CLIP and SigLIP.
var unitLength = step{kind: stepNormalize, least: 1e-12}

// addDense reads a Dense: its configuration and its weights.
func (b *builder) addDense(at place) error {
	config, err := at.required("config.json")
	if err != nil {
		return err
	}
	if inputs := config.size("in_features", 0); inputs != b.columns {
		config.fail("in_features", "%d where rows of %d scalars come in", inputs, b.columns)
	}
	outputs := config.count("out_features", 0)
	if err := pooledOnly(config); err != nil {
		return err
	}
	s := step{kind: stepDense, outputs: outputs}
	name := config.text("activation_function", "torch.nn.modules.activation.Tanh")
	activation, known := denseActivations[name]
	if !known {
		return unsupported("%s: activation_function %s", config.file, shortened([]byte(name)))
	}
	s.activation = activation
	biased, residual := config.flag("bias", true), config.flag("use_residual", false)
	if err := config.err(); err != nil {
		return err
	}
	w, err := b.open(at)
	if err != nil {
		return err
	}
	s.linear = b.loader.linear(w.exactly(), "linear", outputs, b.columns, biased)
	if residual {
		s.residual = new(trunk.Linear)
		if outputs != b.columns {
			*s.residual = b.loader.linear(w.exactly(), "residual", outputs, b.columns, false)
		}
	}
	b.add(s)
	return b.loader.err
}

// pooledOnly refuses modules that change rows of tokens instead of embeddings.
func pooledOnly(config *object) error {
	for _, key := range []string{"module_input_name", "module_output_name"} {
		if name := config.text(key, "sentence_embedding"); name != "sentence_embedding" {
			return unsupported("%s: %s %s", config.file, key, shortened([]byte(name)))
		}
	}
	return config.err()
}

// denseActivations are the classes of PyTorch that a Dense may name, nil for none.
var denseActivations = map[string]func([]float32){
	"torch.nn.modules.linear.Identity": nil,
	"torch.nn.Identity":                nil,
	"torch.nn.modules.activation.Tanh": tanh,
	"torch.nn.Tanh":                    tanh,
	"torch.nn.modules.activation.ReLU": relu,
	"torch.nn.ReLU":                    relu,
	"torch.nn.modules.activation.GELU": gelu,
	"torch.nn.GELU":                    gelu,
	"torch.nn.modules.activation.SiLU": kernel.SiLU,
	"torch.nn.SiLU":                    kernel.SiLU,
	"torch.nn.modules.activation.Sigmoid": func(x []float32) {
		for i, v := range x {
			x[i] = float32(1 / (1 + math.Exp(-float64(v))))
		}
	},
}

func tanh(x []float32) {
	for i, v := range x {
		x[i] = float32(math.Tanh(float64(v)))
	}
}

func relu(x []float32) {
	for i, v := range x {
		x[i] = max(v, 0)
	}
}

func gelu(x []float32) {
	for i, v := range x {
		x[i] = float32(float64(v) / 2 * (1 + math.Erf(float64(v)/math.Sqrt2)))
	}
}

// addLayerNorm reads a LayerNorm. PyTorch's default is added to the variance.
func (b *builder) addLayerNorm(at place) error {
	config, err := at.required("config.json")
	if err != nil {
		return err
	}
	if width := config.size("dimension", b.columns); width != b.columns {
		config.fail("dimension", "%d where rows of %d scalars come in", width, b.columns)
	}
	if err := config.err(); err != nil {
		return err
	}
	w, err := b.open(at)
	if err != nil {
		return err
	}
	b.add(step{kind: stepLayerNorm, norm: b.loader.norm(w, "norm", b.columns, true)})
	return b.loader.err
}

func (b *builder) addNormalize(at place) error {
	config, err := at.object("config.json")
	if err != nil {
		return err
	}
	if config != nil && at.path != b.root.path {
		if err := pooledOnly(config); err != nil {
			return err
		}
	}
	b.add(unitLength)
	return nil
}

// packedBytes returns the memory of the packed weights.
func (s *step) packedBytes() int {
	bytes := s.linear.Weight.Size()
	if s.residual != nil {
		bytes += s.residual.Weight.Size()
	}
	return bytes
}

// length returns the Euclidean length of v.
func length(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// apply returns what a step makes of some rows, which are s.pooled before and after.
func (t *step) apply(s *Scratch, x []float32, count int) []float32 {
	switch t.kind {
	case stepDense:
		y := grow(&s.stepped, count*t.outputs)
		t.linear.Apply(&s.trunk, y, t.outputs, x, t.inputs, count)
		if t.activation != nil {
			t.activation(y)
		}
		if t.residual != nil {
			if !t.residual.Weight.Missing() {
				projected := grow(&s.residual, count*t.outputs)
				t.residual.Apply(&s.trunk, projected, t.outputs, x, t.inputs, count)
				x = projected
			}
			kernel.Add(y, x)
		}
		s.pooled, s.stepped = s.stepped, s.pooled
		return y
	case stepLayerNorm:
		for at := 0; at < len(x); at += t.inputs {
			t.norm.Apply(x[at:at+t.inputs], x[at:at+t.inputs], trunk.LayerNorm, 1e-5)
		}
	case stepNormalize:
		for at := 0; at < len(x); at += t.inputs {
			row := x[at : at+t.inputs]
			by := max(length(row), t.least) + t.offset
			for c, v := range row {
				row[c] = float32(float64(v) / by)
			}
		}
	case stepCut:
		for row := range count {
			copy(x[row*t.outputs:][:t.outputs], x[row*t.inputs:])
		}
		return x[:count*t.outputs]
	}
	return x
}
