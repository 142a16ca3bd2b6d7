package model_test

import (
	"bytes"
	"math"

	"github.com/unum-cloud/uform-go/internal/model"
)

// reference is the architecture in 64 bits, written from docs/checkpoint.md alone: no kernel, no
// blocks, no packing, one text at a time.
type reference struct {
	config   *model.Config
	matrices map[string][][]float64
	vectors  map[string][]float64
}

func foldByte(b byte, folding bool) byte {
	if folding && b >= 'A' && b <= 'Z' {
		return b - 'A' + 'a'
	}
	if folding && b >= 0x09 && b <= 0x0D {
		return 0x20
	}
	return b
}

func padded(x []byte, folding bool) []byte {
	y := []byte{0x20}
	for _, b := range x {
		y = append(y, foldByte(b, folding))
	}
	return append(y, 0x20)
}

func hashOf(start uint64, bytes []byte) uint64 {
	h := start
	for _, b := range bytes {
		h = (h ^ (uint64(b) + 1)) * 0x9E3779B97F4A7C15
		h = h ^ (h >> 29)
	}
	return h
}

func gramHash(bytes []byte) uint64 { return hashOf(uint64(len(bytes))*0xC2B2AE3D27D4EB4F, bytes) }

// inputs returns the rows e.
func (r *reference) inputs(x []byte) [][]float64 {
	n, d := len(x), r.config.Width
	e := make([][]float64, n)
	for i := range e {
		e[i] = append(make([]float64, 0, d), r.matrices["bytes"][x[i]]...)
	}
	grams := r.config.Grams
	if grams == nil {
		return e
	}
	add := func(position int, h uint64) {
		for range grams.Hashes {
			row := r.matrices["grams"][(h^(h>>32))%uint64(grams.Buckets)]
			for k := range row {
				e[position][k] += row[k]
			}
			h = (h ^ 0xD6E8FEB86659FD93) * 0xFF51AFD7ED558CCD
		}
	}
	y := padded(x, grams.Fold)
	for p := 1; p <= n+1; p++ {
		for _, m := range grams.Sizes {
			if m <= p+1 && !(grams.Within && bytes.Contains(y[p-m+1 : p+1][1:max(1, m-1)], []byte{0x20})) {
				add(min(p, n)-1, gramHash(y[p-m+1:p+1]))
			}
		}
	}
	if grams.Words {
		for start := 0; start < len(y); start++ {
			if y[start] == 0x20 || y[start-1] != 0x20 {
				continue
			}
			end := start
			for y[end] != 0x20 {
				end++
			}
			// the byte before end, which is one later in y than in x
			add(end-2, hashOf(77, y[start:end]))
		}
	}
	return e
}

func (r *reference) normed(v []float64, gain string) []float64 {
	var squares float64
	for _, a := range v {
		squares += a * a
	}
	root := math.Sqrt(squares/float64(len(v)) + r.config.NormEpsilon)
	out := make([]float64, len(v))
	for k, a := range v {
		out[k] = a / root * r.vectors[gain][k]
	}
	return out
}

func (r *reference) times(matrix string, v []float64) []float64 {
	w := r.matrices[matrix]
	out := make([]float64, len(w))
	for j, row := range w {
		for k, weight := range row {
			out[j] += weight * v[k]
		}
	}
	return out
}

func (r *reference) rotated(z []float64, position int) {
	size := r.config.Width / r.config.Heads
	for head := 0; head < r.config.Heads; head++ {
		for t := 0; t < size/2; t++ {
			angle := float64(position) * math.Pow(r.config.RotaryBase, -2*float64(t)/float64(size))
			a, b := z[head*size+t], z[head*size+t+size/2]
			z[head*size+t] = a*math.Cos(angle) - b*math.Sin(angle)
			z[head*size+t+size/2] = a*math.Sin(angle) + b*math.Cos(angle)
		}
	}
}

func softmax64(logits []float64) []float64 {
	largest := math.Inf(-1)
	for _, v := range logits {
		largest = math.Max(largest, v)
	}
	out, sum := make([]float64, len(logits)), 0.0
	for i, v := range logits {
		out[i] = math.Exp(v - largest)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func (r *reference) layer(h [][]float64, prefix string) {
	n, size := len(h), r.config.Width/r.config.Heads
	q, k, v := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := range h {
		u := r.normed(h[i], prefix+"attention.norm")
		q[i], k[i], v[i] = r.times(prefix+"attention.query", u), r.times(prefix+"attention.key", u), r.times(prefix+"attention.value", u)
		r.rotated(q[i], i)
		r.rotated(k[i], i)
	}
	for i := range h {
		a := make([]float64, r.config.Width)
		for from := 0; from < len(a); from += size {
			logits := make([]float64, n)
			for j := range logits {
				for c := from; c < from+size; c++ {
					logits[j] += q[i][c] * k[j][c]
				}
				logits[j] /= math.Sqrt(float64(size))
			}
			for j, weight := range softmax64(logits) {
				for c := from; c < from+size; c++ {
					a[c] += weight * v[j][c]
				}
			}
		}
		for c, add := range r.times(prefix+"attention.output", a) {
			h[i][c] += add
		}
	}
	for i := range h {
		inner := r.times(prefix+"feedforward.up", r.normed(h[i], prefix+"feedforward.norm"))
		for c, z := range inner {
			inner[c] = z / (1 + math.Exp(-z))
		}
		for c, add := range r.times(prefix+"feedforward.down", inner) {
			h[i][c] += add
		}
	}
}

// states returns the states of a text that was cut already, and its input rows.
func (r *reference) states(x []byte) (states, inputs [][]float64) {
	inputs = r.inputs(x)
	return r.trunk(inputs), inputs
}

// trunk returns the states of input rows.
func (r *reference) trunk(inputs [][]float64) (states [][]float64) {
	if r.config.Layers == 0 {
		return inputs
	}
	h := make([][]float64, len(inputs))
	for i := range h {
		h[i] = append([]float64{}, inputs[i]...)
	}
	for i := 0; i < r.config.Layers; i++ {
		r.layer(h, layerPrefix(i))
	}
	for i := range h {
		states = append(states, r.normed(h[i], "norm"))
	}
	return states
}

func meanOf(rows [][]float64) []float64 {
	mean := make([]float64, len(rows[0]))
	for _, row := range rows {
		for k, v := range row {
			mean[k] += v / float64(len(rows))
		}
	}
	return mean
}

func norm64(v []float64) float64 {
	var squares float64
	for _, a := range v {
		squares += a * a
	}
	return math.Sqrt(squares)
}

func (r *reference) lane(x []byte) []float64 {
	lexical := r.config.Lexical
	lane := make([]float64, lexical.Columns)
	y := padded(x, lexical.Fold)
	for p := 1; p <= len(x)+1; p++ {
		for _, m := range lexical.Sizes {
			if m > p+1 || lexical.Within && bytes.Contains(y[p-m+1 : p+1][1:max(1, m-1)], []byte{0x20}) {
				continue
			}
			h := gramHash(y[p-m+1 : p+1])
			w := r.vectors["lexical"][(h^(h>>32))%uint64(lexical.Buckets)]
			for c := range lane {
				z := h + uint64(c/64+1)*0x9E3779B97F4A7C15
				z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
				z = (z ^ (z >> 27)) * 0x94D049BB133111EB
				z = z ^ (z >> 31)
				if z>>(c%64)&1 == 1 {
					lane[c] += w
				} else {
					lane[c] -= w
				}
			}
		}
	}
	return lane
}

func (r *reference) embedding(x []byte) []float64 {
	if len(x) == 0 {
		return r.vectors["empty"]
	}
	states, inputs := r.states(x)
	pooled := meanOf(states)
	if r.config.Skip {
		pooled = append(pooled, meanOf(inputs)...)
	}
	dense := r.times("projection", pooled)
	denseShare, lane, laneShare := 1.0, []float64(nil), 0.0
	if lexical := r.config.Lexical; lexical != nil {
		lane = r.lane(x)
		denseShare, laneShare = math.Sqrt(1-lexical.Share), math.Sqrt(lexical.Share)
		if norm64(lane) == 0 {
			denseShare, laneShare = 1, 0
		}
		if norm64(dense) == 0 {
			denseShare, laneShare = 0, 1
		}
	}
	if norm64(dense) == 0 && norm64(lane) == 0 {
		return r.vectors["empty"]
	}
	var out []float64
	for _, v := range dense {
		out = append(out, scaled(v, denseShare, norm64(dense)))
	}
	for _, v := range lane {
		out = append(out, scaled(v, laneShare, norm64(lane)))
	}
	return out
}

func scaled(v, share, norm float64) float64 {
	if norm == 0 {
		return 0
	}
	return v * share / norm
}

func (r *reference) probabilities(x, choices []byte, question int) []float64 {
	state := r.vectors["decoder.empty"]
	if len(x) > 0 {
		states, _ := r.states(x)
		state = states[len(states)-1]
	}
	logits := r.times("decoder.head", state)
	var chosen []float64
	for _, b := range choices {
		chosen = append(chosen, r.config.Decoder.QuestionTypes[question].InverseTemperature*logits[b])
	}
	return softmax64(chosen)
}
