package trunk

import "github.com/unum-cloud/uform-go/internal/kernel"

// apart returns the stride of rows of a width in scratch. Rows that are a multiple of 4 KiB apart
// would share a few lines of the first-level cache.
func apart(width int) int {
	if width%1024 == 0 {
		return width + 16
	}
	return width
}

// beginLayer computes queries, keys and values of some rows.
func (t *Trunk) beginLayer(lead, own *Scratch, layer, start, count int, keysOnly bool) {
	l := &t.layers[layer]
	d, stride := t.config.Width, apart(t.config.Width)
	x := t.input(own, lead.hidden[start*d:], &l.AttentionNorm, count, true)
	own.watch.rows(layer, false, &x)
	keys, values := lead.keys[start*stride:], lead.values[start*stride:]
	l.Key.apply(keys, stride, &x, l.Key.Weight.all())
	l.Value.apply(values, stride, &x, l.Value.Weight.all())
	var queries []float32
	if !keysOnly {
		queries = lead.queries[start*stride:]
		l.Query.apply(queries, stride, &x, l.Query.Weight.all())
	}
	turn := t.rotations[layer]
	if turn == nil {
		return
	}
	for _, span := range lead.spans {
		first, end := max(span.Start, start), min(span.Start+span.Length, start+count)
		if first >= end {
			continue
		}
		at := (first - start) * stride
		turn.rotate(keys[at:], stride, d, first-span.Start, end-first)
		if !keysOnly {
			turn.rotate(queries[at:], stride, d, first-span.Start, end-first)
		}
	}
}

// ask moves the row of each text that is computed to the front, and computes its query.
func (t *Trunk) ask(s *Scratch, layer int, rows Rows) {
	l := &t.layers[layer]
	d, stride := t.config.Width, apart(t.config.Width)
	if l.Probe != nil {
		clear(s.hidden[:len(s.spans)*d])
		for i := range s.spans {
			copy(s.queries[i*stride:], l.Probe)
		}
		return
	}
	s.gather(d, rows)
	x := t.input(s, s.hidden, &l.AttentionNorm, len(s.spans), true)
	l.Query.apply(s.queries, stride, &x, l.Query.Weight.all())
	if turn := t.rotations[layer]; turn != nil {
		for i, span := range s.spans {
			turn.rotate(s.queries[i*stride:], stride, d, rows.row(span), 1)
		}
	}
}

// gather moves one row of each text to the front.
func (s *Scratch) gather(width int, rows Rows) {
	for i, span := range s.spans {
		row := span.Start + rows.row(span)
		copy(s.hidden[i*width:(i+1)*width], s.hidden[row*width:(row+1)*width])
	}
}

// input returns the operand of a part of a layer: some rows, or their norms where norms stand
// before. If inPlace is set, it may be the rows themselves, and otherwise it is in memory of own.
func (t *Trunk) input(own *Scratch, rows []float32, norm *Norm, count int, inPlace bool) operand {
	d, stride := t.config.Width, apart(t.config.Width)
	x := operand{rows: rows, stride: stride, count: count, columns: d, buffer: &own.rounded, apart: &own.apart}
	same := t.config.NormAfter || norm.Gain == nil
	if same && inPlace && stride == d {
		return x
	}
	x.rows = grow(&own.normed, count*stride)
	for i := range count {
		from, to := rows[i*d:][:d], x.rows[i*stride:][:d]
		if same {
			copy(to, from)
		} else {
			norm.Apply(to, from, t.config.Norm, t.config.Epsilon)
		}
	}
	return x
}

// endLayer adds the attention's results, which are in the place of the queries, to some rows, and
// then the feed-forward part.
func (t *Trunk) endLayer(lead, own *Scratch, layer, start, count int) {
	l := &t.layers[layer]
	d, stride := t.config.Width, apart(t.config.Width)
	hidden := lead.hidden[start*d:][:count*d]
	attended := operand{rows: lead.queries[start*stride:], stride: stride, count: count, columns: d, buffer: &own.rounded}
	sum := begin(own, hidden, l.Output.Bias, l.AttentionScale)
	l.Output.Weight.productAdd(sum, d, &attended, l.Output.Weight.all())
	t.finish(hidden, sum, l.AttentionScale, &l.AttentionNorm)

	// The sum is not to change it, unless only rounded rows are used from then on.
	rounds := l.Up.Weight.Bytes != nil && (l.Gate.Weight.Missing() || l.Gate.Weight.Bytes != nil)
	x := t.input(own, hidden, &l.FeedforwardNorm, count, rounds)
	own.watch.rows(layer, true, &x)
	if rounds {
		x.bytes(&l.Up.Weight)
	}
	sum = begin(own, hidden, l.Down.Bias, l.FeedforwardScale)
	t.feedforward(own, l, sum, &x)
	t.finish(hidden, sum, l.FeedforwardScale, &l.FeedforwardNorm)
}

// feedforward adds the feed-forward part of the rows of x to sum, without the last bias.
func (t *Trunk) feedforward(own *Scratch, l *Layer, sum []float32, x *operand) {
	// This much of the inner rows at a time stays in the second-level cache.
	for first := 0; first < t.config.Hidden; first += kernel.Depth {
		piece := kernel.Span{First: first, End: min(t.config.Hidden, first+kernel.Depth)}
		width := piece.End - piece.First
		inner := grow(&own.inner, x.count*width)
		if l.Gate.Weight.Missing() && l.Up.Weight.Full != nil {
			// A bias that is added to a row here takes less time than one that fills it first.
			l.Up.Weight.product(inner, width, x, piece)
			for at := 0; at < len(inner); at += width {
				row := inner[at:][:width]
				if l.Up.Bias != nil {
					kernel.Add(row, l.Up.Bias[piece.First:piece.End])
				}
				t.config.Activation.apply(row)
			}
		} else if l.Up.apply(inner, width, x, piece); l.Gate.Weight.Missing() {
			t.config.Activation.apply(inner)
		} else {
			gate := grow(&own.gate, x.count*width)
			l.Gate.apply(gate, width, x, piece)
			t.config.Activation.apply(gate)
			kernel.Multiply(inner, gate)
		}
		part := operand{rows: inner, stride: width, count: x.count, columns: width, buffer: &own.roundedInner}
		l.Down.Weight.productAddInputs(sum, t.config.Width, &part, piece)
	}
}

// apply applies the activation to x.
func (a Activation) apply(x []float32) {
	switch a {
	case SiLU:
		kernel.SiLU(x)
	case GELU:
		kernel.GELU(x)
	case GELUTanh:
		kernel.GELUTanh(x)
	case QuickGELU:
		kernel.QuickGELU(x)
	case ReLU:
		kernel.ReLU(x)
	}
}

// begin returns the rows that a part of a layer is added to, with its bias: hidden itself, or, if
// the part has a scale, rows of own.
func begin(own *Scratch, hidden, bias, scale []float32) []float32 {
	sum := hidden
	if scale != nil {
		sum = grow(&own.scaled, len(hidden))
		clear(sum)
	}
	if bias != nil {
		for at := 0; at < len(sum); at += len(bias) {
			kernel.Add(sum[at:][:len(bias)], bias)
		}
	}
	return sum
}

// finish adds to hidden what [begin] returned apart from it, and applies the norm where norms stand
// after.
func (t *Trunk) finish(hidden, sum, scale []float32, norm *Norm) {
	d := t.config.Width
	for at := 0; at < len(hidden); at += d {
		row := hidden[at:][:d]
		if scale != nil {
			kernel.Multiply(sum[at:][:d], scale)
			kernel.Add(row, sum[at:][:d])
		}
		if t.config.NormAfter && norm.Gain != nil {
			norm.Apply(row, row, t.config.Norm, t.config.Epsilon)
		}
	}
}
