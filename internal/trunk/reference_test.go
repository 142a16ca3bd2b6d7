package trunk_test

import (
	"math"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// description is a trunk with its weights in plain rows: what both the trunk under test and the
// reference are made of.
type description struct {
	config trunk.Config
	layers []layer
	apart  []int // of shape
}

type layer struct {
	attentionNorm, feedforwardNorm            trunk.Norm
	query, key, value, output, up, gate, down linear
	attentionScale, feedforwardScale, probe   []float32
	rotaryBase                                float64
	window                                    int
}

type linear struct {
	rows [][]float32 // one for each output
	bias []float32
}

// states computes the rows of one text in 64 bits, straight from the formulas of the architectures:
// no kernel, no blocks, one token after the other.
func (d *description) states(input [][]float64) [][]float64 {
	x := input
	for i := range d.layers {
		x = d.through(&d.layers[i], x)
	}
	return x
}

func (d *description) through(l *layer, x [][]float64) [][]float64 {
	before := func(norm *trunk.Norm, rows [][]float64) [][]float64 {
		if d.config.NormAfter {
			return rows
		}
		return d.norms(norm, rows)
	}
	after := func(norm *trunk.Norm, rows [][]float64) [][]float64 {
		if d.config.NormAfter {
			return d.norms(norm, rows)
		}
		return rows
	}
	u := before(&l.attentionNorm, x)
	keys, values := l.key.of(u), l.value.of(u)
	var queries [][]float64
	if l.probe != nil {
		queries = [][]float64{wide(l.probe)}
		x = [][]float64{make([]float64, d.config.Width)}
	} else {
		queries = l.query.of(u)
	}
	if l.rotaryBase != 0 {
		for i := range queries {
			d.rotate(queries[i], l.rotaryBase, i)
			d.rotate(keys[i], l.rotaryBase, i)
		}
	}
	x = after(&l.attentionNorm, sum(x, l.output.of(d.attention(l, queries, keys, values)), l.attentionScale))
	u = before(&l.feedforwardNorm, x)
	inner := l.up.of(u)
	if l.gate.rows != nil {
		for i, gate := range l.gate.of(u) {
			for j, v := range gate {
				inner[i][j] *= d.activation(v)
			}
		}
	} else {
		for _, row := range inner {
			for j, v := range row {
				row[j] = d.activation(v)
			}
		}
	}
	return after(&l.feedforwardNorm, sum(x, l.down.of(inner), l.feedforwardScale))
}

func (d *description) attention(l *layer, queries, keys, values [][]float64) [][]float64 {
	size := d.config.Width / d.config.Heads
	var all [][]float64
	for i, query := range queries {
		row := make([]float64, d.config.Width)
		for head := range d.config.Heads {
			scores, total := make([]float64, len(keys)), 0.0
			for j, key := range keys {
				if d.config.Causal && j > i || l.window > 0 && (j-i > l.window || i-j > l.window) {
					continue
				}
				for c := head * size; c < (head+1)*size; c++ {
					scores[j] += query[c] * key[c]
				}
				scores[j] /= math.Sqrt(float64(size))
				if d.config.RelativeBias != nil {
					scores[j] += float64(d.config.RelativeBias[bucketOf(i, j)*d.config.Heads+head])
				}
				scores[j] = math.Exp(scores[j])
				total += scores[j]
			}
			for j, value := range values {
				for c := head * size; c < (head+1)*size; c++ {
					row[c] += scores[j] / total * value[c]
				}
			}
		}
		all = append(all, row)
	}
	return all
}

// bucketOf is the bucket of T5 and MPNet for 32 buckets and a farthest distance of 128.
func bucketOf(query, key int) int {
	bucket, distance := 0, query-key
	if distance < 0 {
		bucket, distance = 16, -distance
	}
	if distance < 8 {
		return bucket + distance
	}
	// Distances of a power of two must not end up just below their bucket.
	large := 8 + int(math.Log(float64(distance)/8)/math.Log(128.0/8)*8+1e-9)
	return bucket + min(large, 15)
}

func (d *description) rotate(row []float64, base float64, position int) {
	size := d.config.Width / d.config.Heads
	for head := 0; head < len(row); head += size {
		for i := range size / 2 {
			angle := float64(position) * math.Pow(base, -2*float64(i)/float64(size))
			a, b := row[head+i], row[head+i+size/2]
			row[head+i] = a*math.Cos(angle) - b*math.Sin(angle)
			row[head+i+size/2] = b*math.Cos(angle) + a*math.Sin(angle)
		}
	}
}

func (d *description) norms(norm *trunk.Norm, rows [][]float64) [][]float64 {
	if norm.Gain == nil {
		return rows
	}
	var all [][]float64
	for _, row := range rows {
		mean, square := 0.0, 0.0
		if d.config.Norm == trunk.LayerNorm {
			for _, v := range row {
				mean += v / float64(len(row))
			}
		}
		for _, v := range row {
			square += (v - mean) * (v - mean) / float64(len(row))
		}
		normed := make([]float64, len(row))
		for c, v := range row {
			normed[c] = (v - mean) / math.Sqrt(square+d.config.Epsilon) * float64(norm.Gain[c])
			if norm.Bias != nil {
				normed[c] += float64(norm.Bias[c])
			}
		}
		all = append(all, normed)
	}
	return all
}

func (d *description) activation(x float64) float64 {
	switch d.config.Activation {
	case trunk.SiLU:
		return x / (1 + math.Exp(-x))
	case trunk.GELU:
		return x / 2 * math.Erfc(-x/math.Sqrt2)
	case trunk.GELUTanh:
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	case trunk.QuickGELU:
		return x / (1 + math.Exp(-1.702*x))
	case trunk.ReLU:
		return math.Max(x, 0)
	}
	panic("unknown activation")
}

func (l *linear) of(rows [][]float64) [][]float64 {
	var all [][]float64
	for _, row := range rows {
		y := make([]float64, len(l.rows))
		for j, weights := range l.rows {
			for p, w := range weights {
				y[j] += float64(w) * row[p]
			}
			if l.bias != nil {
				y[j] += float64(l.bias[j])
			}
		}
		all = append(all, y)
	}
	return all
}

// sum adds rows, multiplied by a scale unless that is nil.
func sum(x, part [][]float64, scale []float32) [][]float64 {
	var all [][]float64
	for i := range x {
		row := make([]float64, len(x[i]))
		for c, v := range part[i] {
			if scale != nil {
				v *= float64(scale[c])
			}
			row[c] = x[i][c] + v
		}
		all = append(all, row)
	}
	return all
}

func wide(v []float32) []float64 {
	var all []float64
	for _, x := range v {
		all = append(all, float64(x))
	}
	return all
}
