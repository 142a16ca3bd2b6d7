package teacher

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Columns is the width of an embedding.
const Columns = 512

const (
	pieceColumns = 256 // of a piece's row, and of the first layer's input
	inner        = 1536
	heads        = 4
	epsilon      = 1e-6
)

// Model is the encoder. Any number of goroutines may use it.
type Model struct {
	vocabulary *vocabulary
	rows       []float32 // of pieces
	places     []float32 // of positions, a row each
	widen      dense     // the bypass of the first layer's attention
	layers     [2]layer
	top        dense
}

type dense struct {
	matrix *kernel.Packed
	bias   []float32
}

type layer struct {
	width                   int // of its input
	attention, feedforward  norms
	query, output, up, down dense
}

type norms struct{ scale, bias []float32 }

// Open reads the folder of the package that holds model.json, and checks the model's results
// against the package's.
func Open(folder string) (*Model, error) {
	vocabulary, err := readVocabulary(filepath.Join(folder, "vocab.json"))
	if err != nil {
		return nil, err
	}
	tensors, err := readWeights(folder)
	if err != nil {
		return nil, err
	}
	r := &reader{weights: tensors}
	m := &Model{
		vocabulary: vocabulary,
		rows:       r.vector(8002*pieceColumns, "module/Embeddings_en"),
		widen: dense{r.matrix(pieceColumns, Columns, "Layer_0/TransformerLayer/dense/kernel"),
			r.vector(Columns, "Layer_0/TransformerLayer/dense/bias")},
		top: dense{r.matrix(Columns, Columns, "tanh_layer_0/weights"), r.vector(Columns, "tanh_layer_0/bias")},
	}
	for i, width := range []int{pieceColumns, Columns} {
		name := fmt.Sprintf("Layer_%d/TransformerLayer/", i)
		m.layers[i] = layer{
			width: width,
			attention: norms{r.vector(width, name+"layer_prepostprocess/layer_norm/layer_norm_scale"),
				r.vector(width, name+"layer_prepostprocess/layer_norm/layer_norm_bias")},
			feedforward: norms{r.vector(Columns, name+"FFN/layer_prepostprocess/layer_norm/layer_norm_scale"),
				r.vector(Columns, name+"FFN/layer_prepostprocess/layer_norm/layer_norm_bias")},
			query: dense{r.matrix(width, 3*width, name+"MultiheadAttention/qkv_transform_single/kernel"),
				r.vector(3*width, name+"MultiheadAttention/qkv_transform_single/bias")},
			output: dense{r.matrix(width, Columns, name+"MultiheadAttention/output_transform_single/kernel"),
				r.vector(Columns, name+"MultiheadAttention/output_transform_single/bias")},
			up:   dense{r.matrix(Columns, inner, name+"FFN/conv1/Tensordot/Reshape_1"), r.vector(inner, name+"FFN/conv1/bias")},
			down: dense{r.matrix(inner, Columns, name+"FFN/conv2/Tensordot/Reshape_1"), r.vector(Columns, name+"FFN/conv2/bias")},
		}
	}
	steps := r.vector(pieceColumns/2, "TimingSignal/ExpandDims_1")
	if r.err != nil {
		return nil, r.err
	}
	m.places = places(steps)
	return m, m.check()
}

// places returns the rows that are added to pieces by their position: sines, then cosines, of
// decreasing frequencies.
func places(steps []float32) []float32 {
	rows := make([]float32, longest*pieceColumns)
	for place := range longest {
		for c, step := range steps {
			sin, cos := math.Sincos(float64(float32(place) * step))
			rows[place*pieceColumns+c] = float32(sin)
			rows[place*pieceColumns+len(steps)+c] = float32(cos)
		}
	}
	return rows
}

// groupPieces is how many pieces of whole texts go through the layers together.
const groupPieces = 256

// Embed writes the embedding of each text to vectors, [len(texts), Columns], each of length 1. The
// row of a text without pieces is zero.
func (m *Model) Embed(vectors []float32, texts []string) {
	var cuts [][]int32
	pieces, first := 0, 0
	flush := func(end int) {
		m.group(vectors[first*Columns:end*Columns], cuts)
		cuts, pieces, first = cuts[:0], 0, end
	}
	for i, text := range texts {
		cut := m.vocabulary.cut(text)
		if pieces > 0 && pieces+len(cut) > groupPieces {
			flush(i)
		}
		cuts = append(cuts, cut)
		pieces += len(cut)
	}
	flush(len(texts))
}

func (m *Model) group(vectors []float32, cuts [][]int32) {
	var x []float32
	for _, cut := range cuts {
		x = m.input(x, cut)
	}
	if len(x) == 0 {
		clear(vectors)
		return
	}
	for i := range m.layers {
		x = m.layer(i, x, cuts)
	}
	pooled := make([]float32, len(cuts)*Columns)
	row := 0
	for i, cut := range cuts {
		mean := pooled[i*Columns:][:Columns]
		for range cut {
			kernel.Add(mean, x[row*Columns:][:Columns])
			row++
		}
		for c := range mean {
			mean[c] /= float32(max(1, len(cut)))
		}
	}
	copy(vectors, m.top.apply(pooled))
	for i, cut := range cuts {
		vector := vectors[i*Columns:][:Columns]
		if len(cut) == 0 {
			clear(vector)
			continue
		}
		squares := 0.0
		for c, v := range vector {
			vector[c] = float32(math.Tanh(float64(v)))
			squares += float64(vector[c]) * float64(vector[c])
		}
		for c := range vector {
			vector[c] /= float32(math.Sqrt(squares))
		}
	}
}

// input appends the rows of a text's pieces: each piece's own, doubled, plus its position's.
func (m *Model) input(x []float32, cut []int32) []float32 {
	for place, index := range cut {
		row := m.rows[int(index)*pieceColumns:][:pieceColumns]
		for c, v := range row {
			x = append(x, 2*v+m.places[place*pieceColumns+c])
		}
	}
	return x
}

func (m *Model) layer(i int, x []float32, cuts [][]int32) []float32 {
	l := &m.layers[i]
	asked := l.query.apply(l.attention.apply(x))
	next := l.output.apply(l.attend(asked, cuts))
	if i == 0 {
		x = m.widen.apply(x)
	}
	kernel.Add(next, x)
	wide := l.up.apply(l.feedforward.apply(next))
	for c, v := range wide {
		wide[c] = max(v, 0)
	}
	kernel.Add(next, l.down.apply(wide))
	return next
}

// attend mixes the values of each text. A row of asked is a query, a key and a value.
func (l *layer) attend(asked []float32, cuts [][]int32) []float32 {
	w, size := l.width, l.width/heads
	scale := float32(1 / math.Sqrt(float64(size)))
	mixed := make([]float32, len(asked)/3)
	scores := make([]float32, longest)
	first := 0
	for _, cut := range cuts {
		for i := first; i < first+len(cut); i++ {
			for h := range heads {
				query := asked[i*3*w+h*size:][:size]
				for j := range cut {
					scores[j] = kernel.Dot(query, asked[(first+j)*3*w+w+h*size:][:size])
				}
				kernel.Softmax(scores[:len(cut)], scale)
				to := mixed[i*w+h*size:][:size]
				for j := range cut {
					value := asked[(first+j)*3*w+2*w+h*size:][:size]
					for c := range to {
						to[c] += scores[j] * value[c]
					}
				}
			}
		}
		first += len(cut)
	}
	return mixed
}

func (d *dense) apply(x []float32) []float32 {
	inputs, outputs := d.matrix.Inputs(), d.matrix.Outputs()
	rows := len(x) / inputs
	y := make([]float32, rows*outputs)
	d.matrix.Product(y, outputs, x, inputs, rows)
	for i := range rows {
		kernel.Add(y[i*outputs:][:outputs], d.bias)
	}
	return y
}

func (n *norms) apply(x []float32) []float32 {
	width := len(n.scale)
	y := make([]float32, len(x))
	for first := 0; first < len(x); first += width {
		row := x[first:][:width]
		var mean, squares float64
		for _, v := range row {
			mean += float64(v)
		}
		mean /= float64(width)
		for _, v := range row {
			squares += (float64(v) - mean) * (float64(v) - mean)
		}
		inverse := 1 / math.Sqrt(squares/float64(width)+epsilon)
		for c, v := range row {
			y[first+c] = float32((float64(v)-mean)*inverse)*n.scale[c] + n.bias[c]
		}
	}
	return y
}
