package model

// Weights are the tensors of a checkpoint, widened.
type Weights struct {
	Config Config
	// Tensors are as many as [Config.Layouts] and in that order, copies of their own.
	Tensors [][]float32
	// Container is the file, whose bytes it needs.
	Container *Container
}

// ReadWeights takes a checkpoint apart, with the checks that [Parse] makes. Whatever a matrix is stored as, int4 and int8
// included, it becomes the f32 that a model computes with. Errors are as for [Parse].
func ReadWeights(checkpoint []byte) (*Weights, error) {
	container, config, err := openCheckpoint(checkpoint)
	if err != nil {
		return nil, err
	}
	l := &loader{container: container}
	weights := &Weights{Config: *config, Container: container}
	for _, layout := range config.Layouts() {
		weights.Tensors = append(weights.Tensors, l.widened(&layout))
	}
	if l.err != nil {
		return nil, l.err
	}
	return weights, nil
}

// widened is a checked tensor in f32, in memory of its own.
func (l *loader) widened(layout *Layout) []float32 {
	var t table
	switch {
	case layout.Name == "empty":
		t = table{dtype: F32, columns: layout.Columns, floats: l.unitVector(layout.Name, layout.Columns)}
	case layout.Name == "lexical":
		t = l.positiveWeights(layout.Name, layout.Columns)
	case layout.Vector:
		t = l.weights(layout.Name, layout.Columns)
	default:
		t = l.matrix(layout.Name, layout.Rows, layout.Columns)
	}
	if l.err != nil {
		return nil
	}
	wide := make([]float32, layout.Size())
	for row := range layout.Rows {
		t.read(wide[row*layout.Columns:][:layout.Columns], row)
	}
	return wide
}

// Floats reads a tensor of F32, as many elements as it has.
func (t *Tensor) Floats(dst []float32) { copy(dst, floatsOf(t.Data)) }
