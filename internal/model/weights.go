package model

// Weights are the tensors of a checkpoint, widened.
type Weights struct {
	Config Config
	// Tensors are the tensors of [Config.Layouts], in that order, as copies.
	Tensors [][]float32
	// Container is the parsed file. It refers to the file's bytes.
	Container *Container
}

// ReadWeights reads a checkpoint's tensors, with the checks that [Parse] makes. Every kind of
// matrix, int4 and int8 included, becomes the f32 that a model computes with. Errors are as for
// [Parse].
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

// widened returns a checked tensor in f32, in memory of its own.
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

// Floats copies the elements of an F32 tensor to dst.
func (t *Tensor) Floats(dst []float32) { copy(dst, floatsOf(t.Data)) }
