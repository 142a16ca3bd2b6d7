package model_test

import (
	stderrors "errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

// drawn are random patches. They are requested in order, and each item's are overwritten when the
// next are requested.
type drawn struct {
	items  [][]float32
	buffer []float32
	asked  []int
	err    error
}

func (d *drawn) Patches(item int) ([]float32, error) {
	for i := range d.buffer {
		d.buffer[i] = 1e30
	}
	d.asked = append(d.asked, item)
	d.buffer = append(d.buffer[:0], d.items[item]...)
	return d.buffer, d.err
}

// draw makes a batch of items with the given numbers of tokens.
func draw(config *model.Config, modality abi.Modality, lengths ...int) (*model.Patches, *drawn) {
	size := 0
	if modality == abi.ModalityAudio {
		size = config.Audio.PatchSize()
	} else {
		size = config.Image.PatchSize()
	}
	random := rand.New(rand.NewPCG(8, uint64(modality)))
	source := &drawn{}
	for _, length := range lengths {
		patches := make([]float32, length*size)
		for i := range patches {
			patches[i] = float32(random.NormFloat64())
		}
		source.items = append(source.items, patches)
	}
	return &model.Patches{Modality: modality, Lengths: lengths, Source: source}, source
}

// tokens returns the rows e of one item, by docs/checkpoint.md.
func (r *reference) tokens(modality abi.Modality, patches []float32) [][]float64 {
	name, size := "image.patches", 0
	if modality == abi.ModalityAudio {
		name = "audio.patches"
	}
	size = len(r.matrices[name][0])
	var rows [][]float64
	for i := 0; i*size < len(patches); i++ {
		v := make([]float64, size)
		for k := range v {
			v[k] = float64(patches[i*size+k])
		}
		e := r.times(name, v)
		if modality != abi.ModalityAudio {
			positions := r.matrices["image.positions"]
			for k := range e {
				e[k] += positions[i%len(positions)][k]
				if modality == abi.ModalityVideo {
					e[k] += r.matrices["video.times"][i/len(positions)][k]
				}
			}
		}
		rows = append(rows, e)
	}
	return rows
}

// patchEmbedding returns the states of one item, and its embedding, with zeroes where a text has
// its lane.
func (r *reference) patchEmbedding(modality abi.Modality, patches []float32) (states [][]float64, embedding []float64) {
	inputs := r.tokens(modality, patches)
	states = r.trunk(inputs)
	pooled := meanOf(states)
	if r.config.Skip {
		pooled = append(pooled, meanOf(inputs)...)
	}
	dense := r.times("projection", pooled)
	embedding = make([]float64, r.config.EmbeddingColumns())
	for k, v := range dense {
		embedding[k] = v / norm64(dense)
	}
	return states, embedding
}

var mediaCases = []struct {
	config   string
	modality abi.Modality
	lengths  []int
}{
	{"three layers with everything", abi.ModalityVideo, []int{36, 0, 36, 36}},
	{"bag with everything", abi.ModalityAudio, []int{1, 64, 0, 7, 0, 30}},
	{"pictures", abi.ModalityImage, []int{0, 9, 9, 9, 9, 9}},
}

func TestPatchesAgreeWithTheReference(t *testing.T) {
	for _, media := range mediaCases {
		for i, dtype := range matrixTypes {
			t.Run(media.config+"/"+string(dtype), func(t *testing.T) {
				c := newCheckpoint(uint64(i), configs[media.config], dtype, model.F32)
				m := c.parse(t, nil)
				batch, source := draw(c.config, media.modality, media.lengths...)
				columns, d, tokens := c.config.EmbeddingColumns(), c.config.Width, 0
				var asked []int
				for item, length := range media.lengths {
					if tokens += length; length > 0 {
						asked = append(asked, item)
					}
				}
				embeddings, states := make([]float32, len(media.lengths)*columns), make([]float32, tokens*d)
				var scratch model.Scratch
				require.NoError(t, m.EncodePatches(&scratch, batch, embeddings, states, nil))
				require.Equal(t, asked, source.asked)
				rest := states
				for item, length := range media.lengths {
					got := embeddings[item*columns : (item+1)*columns]
					if length == 0 {
						requireClose(t, c.reference.vectors["empty"], got, 0, "item %d is empty", item)
						continue
					}
					rows, embedding := c.reference.patchEmbedding(media.modality, source.items[item])
					requireClose(t, embedding, got, agreement, "embedding %d", item)
					for k, row := range rows {
						requireClose(t, row, rest[k*d:(k+1)*d], agreement*(1+norm64(row)), "state %d of %d", k, item)
					}
					rest = rest[length*d:]

					// Alone, and with one output only, it has the same bits.
					alone := &model.Patches{Modality: media.modality, Lengths: media.lengths[item : item+1], Source: &drawn{items: source.items[item : item+1]}}
					own := make([]float32, columns)
					require.NoError(t, m.EncodePatches(&scratch, alone, own, nil, nil))
					require.Equal(t, got, own)
				}
				again := make([]float32, len(states))
				require.NoError(t, m.EncodePatches(&scratch, batch, nil, again, nil))
				require.Equal(t, states, again)
			})
		}
	}
}

// Weights that are all zero give no direction.
func TestPatchesWithoutLengthAreEmpty(t *testing.T) {
	c := newCheckpoint(3, configs["pictures"], model.F32, model.F32)
	for i := range c.tensors {
		if c.tensors[i].Name == "projection" {
			clear(c.tensors[i].Data)
		}
	}
	batch, _ := draw(c.config, abi.ModalityImage, 9)
	embedding := make([]float32, c.config.EmbeddingColumns())
	require.NoError(t, c.parse(t, nil).EncodePatches(&model.Scratch{}, batch, embedding, nil, nil))
	requireClose(t, c.reference.vectors["empty"], embedding, 0, "the projection is zero")
}

func TestPatchRefusals(t *testing.T) {
	c := newCheckpoint(2, configs["three layers with everything"], model.F32, model.F32)
	m := c.parse(t, nil)
	columns := c.config.EmbeddingColumns()
	encode := func(batch *model.Patches, stop func() bool) error {
		return m.EncodePatches(&model.Scratch{}, batch, make([]float32, len(batch.Lengths)*columns), nil, stop)
	}
	batch, source := draw(c.config, abi.ModalityVideo, 36, 36)
	for _, modality := range []abi.Modality{abi.ModalityText, abi.ModalityImage, abi.ModalityAudio, 9} {
		other := *batch
		other.Modality = modality
		require.ErrorIs(t, encode(&other, nil), errors.ErrUnsupported)
	}
	for _, length := range []int{-1, 1, 35, 37, 72} {
		other := *batch
		other.Lengths = []int{36, length}
		require.ErrorIs(t, encode(&other, nil), errors.ErrInvalidArgument)
		require.ErrorContains(t, encode(&other, nil), "item 1")
	}
	source.items[1] = source.items[1][1:]
	require.ErrorIs(t, encode(batch, nil), errors.ErrInvalidArgument)
	require.ErrorIs(t, m.EncodePatches(&model.Scratch{}, batch, make([]float32, 1), nil, nil), errors.ErrInvalidArgument)
	require.ErrorIs(t, m.EncodePatches(&model.Scratch{}, batch, nil, make([]float32, 1), nil), errors.ErrInvalidArgument)
	source.err = stderrors.New("the file is broken")
	require.Equal(t, source.err, encode(batch, nil))

	// stop is called before each item, and before each layer.
	batch, source = draw(c.config, abi.ModalityVideo, 36, 36)
	asked := 0
	require.NoError(t, encode(batch, func() bool { asked++; return false }))
	require.GreaterOrEqual(t, asked, 2+c.config.Layers)
	for most := range asked {
		count := 0
		source.asked = nil
		require.ErrorIs(t, encode(batch, func() bool { count++; return count > most }), errors.ErrCancelled)
		require.Equal(t, most+1, count)
		require.LessOrEqual(t, len(source.asked), most)
	}
}

// Every tensor of a modality is required, in its shape, without a NaN.
func TestPatchTensorRefusals(t *testing.T) {
	for name, config := range map[string]string{
		"image.patches": "pictures", "image.positions": "pictures", "video.times": "three layers with everything",
		"audio.patches": "bag with everything",
	} {
		for fault, change := range map[string]func(*model.Tensor){
			"missing":       func(tensor *model.Tensor) { tensor.Name += "?" },
			"another shape": func(tensor *model.Tensor) { tensor.Shape[0], tensor.Shape[1] = tensor.Shape[1], tensor.Shape[0] },
			"a NaN":         func(tensor *model.Tensor) { copy(tensor.Data[len(tensor.Data)-4:], "\xFF\xFF\xFF\xFF") },
		} {
			t.Run(name+"/"+fault, func(t *testing.T) {
				c := newCheckpoint(1, configs[config], model.F32, model.F32)
				for i := range c.tensors {
					if c.tensors[i].Name == name {
						change(&c.tensors[i])
					}
				}
				_, err := model.Parse(c.file(t), nil)
				require.ErrorIs(t, err, errors.ErrMalformed)
				require.ErrorContains(t, err, `"`+name+`"`)
			})
		}
	}
}
