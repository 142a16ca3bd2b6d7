package contract_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// reference implements the architecture of the checkpoint page, written from the page alone: slow,
// in 64-bit floats, one text at a time. It shares no code with the implementations that it is
// compared with, and reads files by itself.
type reference struct {
	config   referenceConfig
	matrices map[string][][]float64 // a vector has one row
	// parameters is the number of elements of all tensors without scales.
	parameters int
}

type referenceConfig struct {
	Context, Width, Layers, Heads int
	NormEpsilon                   float64 `json:"norm_epsilon"`
	RotaryBase                    float64 `json:"rotary_base"`
	Skip                          bool
	Grams                         *referenceGrams
	Lexical                       *referenceGrams
	Decoder                       *struct {
		QuestionTypes []struct {
			InverseTemperature float64 `json:"inverse_temperature"`
		} `json:"question_types"`
	}
}

type referenceGrams struct {
	Sizes                    []int
	Hashes, Buckets, Columns int
	Words, Fold              bool
	Share                    float64
}

// newReference reads a valid file.
func newReference(file []byte) *reference {
	size := binary.LittleEndian.Uint64(file)
	header, body := file[8:8+size], file[8+size:]
	var entries map[string]json.RawMessage
	must(json.Unmarshal(header, &entries))
	var metadata map[string]string
	must(json.Unmarshal(entries["__metadata__"], &metadata))
	delete(entries, "__metadata__")
	r := &reference{matrices: map[string][][]float64{}}
	r.config.NormEpsilon, r.config.RotaryBase = 1e-6, 10000
	must(json.Unmarshal([]byte(metadata["uform"]), &r.config))

	type tensor struct {
		DType   string
		Shape   []int
		Offsets []int `json:"data_offsets"`
	}
	tensors := map[string]tensor{}
	for name, text := range entries {
		var t tensor
		must(json.Unmarshal(text, &t))
		tensors[name] = t
	}
	for name, t := range tensors {
		data := body[t.Offsets[0]:t.Offsets[1]]
		scales, scaled := tensors[name+".scales"]
		rows, columns := 1, t.Shape[0]
		if len(t.Shape) == 2 {
			rows, columns = t.Shape[0], t.Shape[1]
		}
		matrix := make([][]float64, rows)
		for i := range matrix {
			scale := float32(0)
			if scaled {
				scale = math.Float32frombits(binary.LittleEndian.Uint32(body[scales.Offsets[0]+4*i:]))
			}
			matrix[i] = row(t.DType, data[len(data)/rows*i:len(data)/rows*(i+1)], columns, scale)
			r.parameters += len(matrix[i])
		}
		r.matrices[name] = matrix
		if scaled {
			r.parameters -= rows // those of the tensor of scales
		}
	}
	// An odd row of int4 ends with a nibble that is no element.
	r.trim()
	return r
}

func must(err error) {
	if err != nil {
		panic(err) // a bug in this suite
	}
}

// row reads one row of a matrix. Elements are f32, and so are products with a scale.
func row(dtype string, data []byte, columns int, scale float32) []float64 {
	var elements []float64
	for i := range columns {
		switch dtype {
		case "F32":
			elements = append(elements, float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))))
		case "BF16":
			elements = append(elements, float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:]))<<16)))
		case "I8":
			elements = append(elements, float64(float32(int8(data[i]))*scale))
		case "U8":
			low, high := int(data[i]&15)-8, int(data[i]>>4)-8
			elements = append(elements, float64(float32(low)*scale), float64(float32(high)*scale))
		default:
			panic(fmt.Sprintf("a tensor of %s", dtype))
		}
	}
	return elements
}

// trim drops the last element of matrices that have one more than their shape says. Only the down
// projection of the feed-forward part has an odd number of columns here.
func (r *reference) trim() {
	for i := range r.config.Layers {
		up, down := r.matrices[fmt.Sprintf("layers.%d.feedforward.up", i)], r.matrices[fmt.Sprintf("layers.%d.feedforward.down", i)]
		for j := range down {
			r.parameters -= len(down[j]) - len(up)
			down[j] = down[j][:len(up)]
		}
	}
}

func (r *reference) vector(name string) []float64 { return r.matrices[name][0] }

// pad returns the text between two spaces, folded on request.
func pad(text []byte, fold bool) []byte {
	padded := slices.Concat([]byte{0x20}, text, []byte{0x20})
	for i, b := range padded {
		switch {
		case fold && b >= 'A' && b <= 'Z':
			padded[i] = b - 'A' + 'a'
		case fold && b >= 0x09 && b <= 0x0D:
			padded[i] = 0x20
		}
	}
	return padded
}

func hashOf(seed uint64, text []byte) uint64 {
	h := seed
	for _, b := range text {
		h = (h ^ (uint64(b) + 1)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

func hashOfGram(gram []byte) uint64 {
	const factor uint64 = 0xC2B2AE3D27D4EB4F
	return hashOf(uint64(len(gram))*factor, gram)
}

// grams calls each with every gram that ends at position p of a padded text.
func grams(padded []byte, p int, sizes []int, each func(hash uint64)) {
	for _, m := range sizes {
		if m <= p+1 {
			each(hashOfGram(padded[p-m+1 : p+1]))
		}
	}
}

// inputs returns the rows e of a cut text.
func (r *reference) inputs(text []byte) [][]float64 {
	n := len(text)
	rows := make([][]float64, n)
	for i, b := range text {
		rows[i] = slices.Clone(r.matrices["bytes"][b])
	}
	g := r.config.Grams
	if g == nil {
		return rows
	}
	y := pad(text, g.Fold)
	addTo := func(p int) func(uint64) {
		return func(h uint64) {
			for range g.Hashes {
				add(rows[min(p, n)-1], r.matrices["grams"][(h^h>>32)%uint64(g.Buckets)])
				h = (h ^ 0xD6E8FEB86659FD93) * 0xFF51AFD7ED558CCD
			}
		}
	}
	for p := 1; p <= n+1; p++ {
		grams(y, p, g.Sizes, addTo(p))
	}
	for begin := 0; g.Words && begin < len(y); begin++ {
		end := begin
		for end < len(y) && y[end] != 0x20 {
			end++
		}
		if end > begin {
			addTo(end - 1)(hashOf(77, y[begin:end]))
			begin = end
		}
	}
	return rows
}

func add(to, row []float64) {
	for i, v := range row {
		to[i] += v
	}
}

func times(matrix [][]float64, x []float64) []float64 {
	y := make([]float64, len(matrix))
	for i, row := range matrix {
		for j, v := range row {
			y[i] += v * x[j]
		}
	}
	return y
}

func (r *reference) norm(v, gain []float64) []float64 {
	var squares float64
	for _, x := range v {
		squares += x * x
	}
	root := math.Sqrt(squares/float64(len(v)) + r.config.NormEpsilon)
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x / root * gain[i]
	}
	return out
}

// trunk returns the input rows and the states of a cut text of at least one byte.
func (r *reference) trunk(text []byte) (inputs, states [][]float64) {
	inputs = r.inputs(text)
	if r.config.Layers == 0 {
		return inputs, inputs
	}
	for _, row := range inputs {
		states = append(states, slices.Clone(row))
	}
	for i := range r.config.Layers {
		r.layer(states, fmt.Sprintf("layers.%d.", i))
	}
	for i, h := range states {
		states[i] = r.norm(h, r.vector("norm"))
	}
	return inputs, states
}

func (r *reference) layer(hidden [][]float64, name string) {
	var queries, keys, values [][]float64
	for i, h := range hidden {
		u := r.norm(h, r.vector(name+"attention.norm"))
		queries = append(queries, r.rotate(times(r.matrices[name+"attention.query"], u), i))
		keys = append(keys, r.rotate(times(r.matrices[name+"attention.key"], u), i))
		values = append(values, times(r.matrices[name+"attention.value"], u))
	}
	size := r.config.Width / r.config.Heads
	for i, h := range hidden {
		mixed := make([]float64, r.config.Width)
		for first := 0; first < r.config.Width; first += size {
			weights := make([]float64, len(keys))
			for j, key := range keys {
				for t := first; t < first+size; t++ {
					weights[j] += queries[i][t] * key[t]
				}
				weights[j] /= math.Sqrt(float64(size))
			}
			for j, weight := range softmax(weights) {
				for t := first; t < first+size; t++ {
					mixed[t] += weight * values[j][t]
				}
			}
		}
		add(h, times(r.matrices[name+"attention.output"], mixed))
	}
	for _, h := range hidden {
		inner := times(r.matrices[name+"feedforward.up"], r.norm(h, r.vector(name+"feedforward.norm")))
		for j, z := range inner {
			inner[j] = z / (1 + math.Exp(-z))
		}
		add(h, times(r.matrices[name+"feedforward.down"], inner))
	}
}

func (r *reference) rotate(z []float64, position int) []float64 {
	size := r.config.Width / r.config.Heads
	out := make([]float64, len(z))
	for first := 0; first < len(z); first += size {
		for t := range size / 2 {
			angle := float64(position) * math.Pow(r.config.RotaryBase, -2*float64(t)/float64(size))
			a, b := first+t, first+t+size/2
			out[a] = z[a]*math.Cos(angle) - z[b]*math.Sin(angle)
			out[b] = z[a]*math.Sin(angle) + z[b]*math.Cos(angle)
		}
	}
	return out
}

func softmax(logits []float64) []float64 {
	most, sum := slices.Max(logits), 0.0
	weights := make([]float64, len(logits))
	for i, logit := range logits {
		weights[i] = math.Exp(logit - most)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

func mean(rows [][]float64) []float64 {
	sum := make([]float64, len(rows[0]))
	for _, row := range rows {
		add(sum, row)
	}
	for i := range sum {
		sum[i] /= float64(len(rows))
	}
	return sum
}

// scaled returns v scaled to a length, and whether v is not zero.
func scaled(v []float64, length float64) ([]float64, bool) {
	var squares float64
	for _, x := range v {
		squares += x * x
	}
	out := make([]float64, len(v))
	for i, x := range v {
		if squares > 0 {
			out[i] = x * length / math.Sqrt(squares)
		}
	}
	return out, squares > 0
}

// encode returns the result of text_encode for a text that was not cut yet.
func (r *reference) encode(text string) (embedding []float64, states [][]float64) {
	cut := []byte(text)[:min(len(text), r.config.Context)]
	if len(cut) == 0 {
		return r.vector("empty"), nil
	}
	inputs, states := r.trunk(cut)
	pooled := mean(states)
	if r.config.Skip {
		pooled = append(pooled, mean(inputs)...)
	}
	dense := times(r.matrices["projection"], pooled)
	lane := r.lane(cut)
	share := 0.0
	if r.config.Lexical != nil {
		share = r.config.Lexical.Share
	}
	dense1, hasDense := scaled(dense, math.Sqrt(1-share))
	lane1, hasLane := scaled(lane, math.Sqrt(share))
	switch {
	case !hasDense && !hasLane:
		return r.vector("empty"), states
	case !hasLane:
		dense1, _ = scaled(dense, 1)
	case !hasDense:
		lane1, _ = scaled(lane, 1)
	}
	return append(dense1, lane1...), states
}

// lane returns the lexical lane before it is scaled, empty if the model has none.
func (r *reference) lane(text []byte) []float64 {
	l := r.config.Lexical
	if l == nil {
		return nil
	}
	sum := make([]float64, l.Columns)
	y := pad(text, l.Fold)
	for p := 1; p <= len(text)+1; p++ {
		grams(y, p, l.Sizes, func(h uint64) {
			weight := r.vector("lexical")[(h^h>>32)%uint64(l.Buckets)]
			for c := range sum {
				z := h + uint64(c/64+1)*0x9E3779B97F4A7C15
				z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
				z = (z ^ z>>27) * 0x94D049BB133111EB
				z ^= z >> 31
				if bits.RotateLeft64(z, -(c%64))&1 == 1 {
					sum[c] += weight
				} else {
					sum[c] -= weight
				}
			}
		})
	}
	return sum
}

// choose returns the result of text_choose for a text that was not cut yet.
func (r *reference) choose(text, choices string, questionType uint32) []float64 {
	cut := []byte(text)[max(0, len(text)-r.config.Context):]
	state := r.matrices["decoder.empty"][0]
	if len(cut) > 0 {
		_, states := r.trunk(cut)
		state = states[len(states)-1]
	}
	all := times(r.matrices["decoder.head"], state)
	var logits []float64
	for _, choice := range []byte(choices) {
		logits = append(logits, all[choice]*r.config.Decoder.QuestionTypes[questionType].InverseTemperature)
	}
	return softmax(logits)
}
