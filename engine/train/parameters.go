package train

import "github.com/unum-cloud/uform-go/internal/model"

// parameter is one tensor of the model, with what training keeps of each element. The four slices are as long.
type parameter struct {
	model.Layout
	weights  []float32
	gradient []float32 // zeroes between steps
	// The moments of [parameters.update]: means of the gradient and of its square.
	first, second []float32
	// fixed tensors are not trained and have weights alone.
	fixed bool
	// decays is whether weights are drawn to zero: those of matrices.
	decays bool
}

// parameters are all tensors of a model. What is trained of each kind lies in one slice, so that it can be reduced,
// measured and updated without looking at tensors.
type parameters struct {
	all       []*parameter
	named     map[string]*parameter
	weights   []float32
	gradients []float32 // with room for riders behind
	first     []float32
	second    []float32
}

// isFixed is whether a tensor keeps its values: what is not learned by a gradient, but counted or drawn.
func isFixed(name string) bool { return name == "empty" || name == "lexical" }

// newParameters takes over the tensors of a checkpoint, whose moments are zero.
func newParameters(weights *model.Weights) *parameters {
	p := &parameters{named: map[string]*parameter{}}
	layouts := weights.Config.Layouts()
	size := 0
	for _, layout := range layouts {
		if !isFixed(layout.Name) {
			size += layout.Size()
		}
	}
	p.weights, p.gradients = make([]float32, size), make([]float32, size, size+riders)
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

// momentNames are those of a tensor's moments in a file.
func momentNames(name string) (first, second string) { return name + ".moment1", name + ".moment2" }
