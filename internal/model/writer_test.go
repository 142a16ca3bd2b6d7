package model_test

import (
	"bytes"
	stderrors "errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

func TestWrittenContainersAreLaidOutToBeMapped(t *testing.T) {
	tensors := []model.Tensor{
		{Name: "bytes", DType: model.U8, Shape: []int{3}, Data: []byte("abc")},
		model.HalfTensor("halves", []float32{1, 2, 3}, 3),
		model.FloatTensor("floats", []float32{1, 2}, 2, 1),
		{Name: "step", DType: model.I64, Data: make([]byte, 8)},
		{Name: "<none>", DType: model.F64, Shape: []int{0, 4}},
	}
	for _, note := range []string{"", "x", "xx", "xxxx", "xxxxxxx"} {
		var file bytes.Buffer
		metadata := map[string]string{"note": note, "uform": "\"quoted\"\n"}
		require.NoError(t, model.WriteContainer(&file, metadata, tensors))
		container, err := model.ReadContainer(file.Bytes())
		require.NoError(t, err)
		require.Equal(t, metadata, container.Metadata)
		require.Len(t, container.Tensors, len(tensors))
		for _, tensor := range tensors {
			got := container.Tensors[tensor.Name]
			require.Equal(t, tensor.DType, got.DType)
			require.Equal(t, tensor.Shape, got.Shape)
			require.True(t, bytes.Equal(tensor.Data, got.Data))
			if len(tensor.Data) > 0 {
				offset := bytes.Index(file.Bytes(), tensor.Data)
				require.Zero(t, offset%tensor.DType.Size(), tensor.Name)
			}
		}
		// the tensor with the widest elements comes first
		body := bytes.Index(file.Bytes(), make([]byte, 8))
		require.Zero(t, body%8)
	}
}

func TestWriterRefusals(t *testing.T) {
	config := configs["bytes alone"]
	for name, tensors := range map[string][]model.Tensor{
		"too few bytes":    {{Name: "x", DType: model.F32, Shape: []int{2}, Data: make([]byte, 4)}},
		"too many bytes":   {{Name: "x", DType: model.U8, Data: make([]byte, 2)}},
		"no dtype":         {{Name: "x", Shape: []int{0}}},
		"a huge shape":     {{Name: "x", DType: model.F32, Shape: []int{math.MaxInt, 4}}},
		"a negative shape": {{Name: "x", DType: model.F32, Shape: []int{-1, -1}, Data: make([]byte, 4)}},
		"nine dimensions":  {{Name: "x", DType: model.U8, Shape: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}, Data: make([]byte, 1)}},
		"a name twice":     {{Name: "x", DType: model.U8, Data: make([]byte, 1)}, {Name: "x", DType: model.U8, Data: make([]byte, 1)}},
		"the metadata":     {{Name: "__metadata__", DType: model.U8, Data: make([]byte, 1)}},
		"a name not UTF-8": {{Name: "\xFF", DType: model.U8, Data: make([]byte, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			var file bytes.Buffer
			require.ErrorIs(t, model.Write(&file, &config, tensors), errors.ErrInvalidArgument)
			require.Zero(t, file.Len(), "nothing is written")
		})
	}
	config.Columns = 0
	require.ErrorIs(t, model.Write(&bytes.Buffer{}, &config, nil), errors.ErrInvalidArgument)
}

type fullDisk struct{ room int }

var errFull = stderrors.New("full")

func (d *fullDisk) Write(data []byte) (int, error) {
	if d.room -= len(data); d.room < 0 {
		return 0, errFull
	}
	return len(data), nil
}

func TestWriterAnswersWhatItsWriterDoes(t *testing.T) {
	c := smallCheckpoint(model.F32)
	for room := 0; room < len(c.file(t)); room += 97 {
		require.ErrorIs(t, model.Write(&fullDisk{room}, c.config, c.tensors), errFull)
	}
}

// Quantized rows are within half a step of the original, and keep its largest element.
func TestQuantizedMatricesStayClose(t *testing.T) {
	const rows, columns = 9, 7
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float32, rows*columns)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	clear(values[3*columns : 4*columns])
	config := model.Config{Modalities: []string{"text"}, Context: 8, Width: columns, Columns: 1,
		Grams: &model.Grams{Sizes: []int{1}, Hashes: 1, Buckets: rows}}
	for name, quantized := range map[string]struct {
		tensors []model.Tensor
		levels  float64
	}{
		"int8": {model.Int8Tensors("grams", values, rows, columns), 127},
		"int4": {model.Int4Tensors("grams", values, rows, columns), 7},
	} {
		t.Run(name, func(t *testing.T) {
			var file bytes.Buffer
			tensors := append([]model.Tensor{
				model.FloatTensor("bytes", make([]float32, 256*columns), 256, columns),
				model.FloatTensor("projection", make([]float32, columns), 1, columns),
				model.FloatTensor("empty", []float32{1}, 1),
			}, quantized.tensors...)
			require.NoError(t, model.Write(&file, &config, tensors))
			m, err := model.Parse(file.Bytes(), nil)
			require.NoError(t, err)
			for b := range 128 {
				// The state of a single byte is the row of that byte plus the row of the space
				// after it.
				_, states := encodeAll(t, m, [][]byte{{byte(b)}})
				rowOf := func(b byte) []float32 {
					row := model.HashRows(model.HashGram([]byte{b}), rows)[0]
					return values[row*columns : (row+1)*columns]
				}
				for k, got := range states {
					own, space := rowOf(byte(b)), rowOf(' ')
					bound := 0.51/quantized.levels*(most(own)+most(space)) + 1e-6
					require.InDelta(t, float64(own[k])+float64(space[k]), float64(got), bound)
				}
			}
		})
	}
}

func most(row []float32) float64 {
	var largest float64
	for _, v := range row {
		largest = math.Max(largest, math.Abs(float64(v)))
	}
	return largest
}
