package train

import "github.com/unum-cloud/uform-go/internal/model"

// parameter is one tensor of the model, with the training state of each element. The four slices
// have the same length.
type parameter struct {
	model.Layout
	weights  []float32
	gradient []float32 // zeroes between steps
	// The moments of [parameters.update]: means of the gradient and of its square.
	first, second []float32
	// fixed tensors are not trained and have weights alone.
	fixed bool
	// decays reports whether weight decay applies: to matrices only.
	decays bool
}

// parameters are all tensors of a model. The trained values of each kind lie in one slice, so that
// they can be reduced, measured and updated in one pass.
type parameters struct {
	all       []*parameter
	named     map[string]*parameter
	weights   []float32
	gradients []float32 // with room for the extra scalars at the end
	first     []float32
	second    []float32
}

// isFixed reports whether a tensor keeps its values, because it is counted or drawn, not learned.
func isFixed(name string) bool { return name == "empty" || name == "lexical" }

// newParameters takes over the tensors of a checkpoint. The moments are zero.
func newParameters(weights *model.Weights) *parameters {
	p := &parameters{named: map[string]*parameter{}}
	layouts := weights.Config.Layouts()
	size := 0
	for _, layout := range layouts {
		if !isFixed(layout.Name) {
			size += layout.Size()
		}
	}
	p.weights, p.gradients = make([]float32, size), make([]float32, size, size+extraScalars)
	p.first, p.second = make([]float32, size), make([]float32, size)
	begin := 0
	for i, layout := range layouts {
		t := &parameter{Layout: layout, fixed: isFixed(layout.Name)}
		if t.fixed {
			t.weights = weights.Tensors[i]
		} else {
			end := begin + layout.Size()
			copy(p.weights[begin:end], weights.Tensors[i])
			t.weights, t.gradient = p.weights[begin:end:end], p.gradients[begin:end:end]
			t.first, t.second = p.first[begin:end:end], p.second[begin:end:end]
			t.decays = !layout.Vector
			begin = end
		}
		p.all = append(p.all, t)
		p.named[layout.Name] = t
	}
	return p
}

// momentNames returns the names of a tensor's moments in a file.
func momentNames(name string) (first, second string) { return name + ".moment1", name + ".moment2" }
