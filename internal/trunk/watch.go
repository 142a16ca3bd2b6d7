package trunk

// watch is called with the input rows of each part of each layer, if it is not nil.
type watch func(layer int, feedforward bool, row []float32)

func (w watch) rows(layer int, feedforward bool, x *operand) {
	if w == nil {
		return
	}
	for i := range x.count {
		w(layer, feedforward, x.rows[i*x.stride:][:x.columns])
	}
}

// Inputs takes texts through all layers, as [Trunk.Forward] does, and calls see with each input row
// of the attention and of the feed-forward part of each layer. s must not be in a [Team].
func (t *Trunk) Inputs(s *Scratch, spans []Span, see func(layer int, feedforward bool, row []float32)) error {
	s.watch = see
	defer func() { s.watch = nil }()
	_, err := t.Forward(s, spans, EveryRow, nil)
	return err
}
