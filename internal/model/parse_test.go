package model_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

func TestDescribe(t *testing.T) {
	m := newCheckpoint(1, configs["three layers with everything"], model.F32, model.F32).parse(t, nil)
	d, f, e := 36, 64, 33
	parameters := 256*d + 2048*d + 3*(2*d+4*d*d+2*d*f) + d + e*2*d + (e + 192) + 4096 + 256*d + d + d*75 + 9*d + 4*d
	description := m.Describe()
	require.Greater(t, description.WeightsBytes, uint64(4*parameters), "panels are padded")
	description.WeightsBytes = 0
	require.Equal(t, model.Description{
		Parameters: uint64(parameters), EmbeddingColumns: 33 + 192, StateColumns: 36, Context: 100, Layers: 3, Heads: 3,
		QuestionTypes: 2, Modalities: 1<<abi.ModalityText | 1<<abi.ModalityVideo, ByteDecoder: true, Kind: abi.ScalarF32,
	}, description)
	bare := newCheckpoint(1, configs["bytes alone"], model.I8, model.F32).parse(t, nil).Describe()
	require.Equal(t, model.Description{
		Parameters: 256*5 + 3*5 + 3, WeightsBytes: 256*5 + 256*4 + 16*5*4 + 3*4, EmbeddingColumns: 3, StateColumns: 5,
		Context: 64, Modalities: 1 << abi.ModalityText, Kind: abi.ScalarF32,
	}, bare)
}

func TestUnknownKindsAreUnsupported(t *testing.T) {
	file := newCheckpoint(1, configs["bytes alone"], model.F32, model.F32).file(t)
	for _, kind := range []abi.Scalar{abi.ScalarF16, abi.ScalarF64, 77, -1} {
		_, err := model.Parse(file, &model.Options{Kind: kind})
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
}

func TestTensorRefusals(t *testing.T) {
	nan, infinity := float32(math.NaN()), float32(math.Inf(-1))
	setFloat := func(at int, v float32) func(*model.Tensor) {
		return func(tensor *model.Tensor) { binary.LittleEndian.PutUint32(tensor.Data[4*at:], math.Float32bits(v)) }
	}
	setHalf := func(at int, v uint16) func(*model.Tensor) {
		return func(tensor *model.Tensor) { binary.LittleEndian.PutUint16(tensor.Data[2*at:], v) }
	}
	reshape := func(shape ...int) func(*model.Tensor) { return func(tensor *model.Tensor) { tensor.Shape = shape } }
	retype := func(dtype model.DType, shape ...int) func(*model.Tensor) {
		return func(tensor *model.Tensor) { tensor.DType, tensor.Shape = dtype, shape }
	}
	config := configs["three layers with everything"]
	d := config.Width
	for _, refusal := range []struct {
		name   string
		dtype  model.DType
		tensor string
		change func(*model.Tensor)
	}{
		{"a NaN in a matrix", model.F32, "bytes", setFloat(256*d-1, nan)},
		{"a NaN in a matrix of products", model.F32, "layers.1.feedforward.up", setFloat(77, nan)},
		{"an infinity in a bf16 matrix", model.BF16, "grams", setHalf(d, 0x7F80)},
		{"a NaN in a bf16 matrix of products", model.BF16, "layers.2.attention.value", setHalf(5, 0xFFC0)},
		{"a NaN in a vector", model.F32, "norm", setFloat(3, nan)},
		{"an infinity in a layer's vector", model.F32, "layers.0.attention.norm", setFloat(0, infinity)},
		{"a NaN in scales", model.I8, "projection.scales", setFloat(1, nan)},
		{"an infinity in scales", model.U8, "grams.scales", setFloat(2047, infinity)},
		{"a NaN in the lane", model.F32, "lexical", setFloat(4095, nan)},
		{"a negative weight in the lane", model.F32, "lexical", setFloat(9, -1e-20)},
		{"a NaN in the decoder", model.F32, "decoder.head", setFloat(255*d, nan)},
		{"an infinity in the decoder's state", model.F32, "decoder.empty", setFloat(0, infinity)},
		{"a long vector for nothing", model.F32, "empty", setFloat(0, 1.5)},
		{"a zero vector for nothing", model.F32, "empty", func(tensor *model.Tensor) { clear(tensor.Data) }},
		{"a matrix transposed", model.F32, "layers.0.feedforward.up", reshape(d, 64)},
		{"a matrix as a vector", model.F32, "bytes", reshape(256 * d)},
		{"a vector as a matrix", model.F32, "norm", reshape(1, d)},
		{"scales as a matrix", model.I8, "bytes.scales", reshape(256, 1)},
		{"a matrix in f16", model.BF16, "layers.0.attention.query", retype(model.F16, d, d)},
		{"a matrix in i16", model.BF16, "grams", retype(model.I16, 2048, d)},
		{"a vector in f16", model.F32, "norm", retype(model.F16, 2*d)},
		{"a vector in bytes", model.F32, "decoder.empty", retype(model.I8, 4*d)},
		{"scales in i32", model.I8, "decoder.head.scales", retype(model.I32, 256)},
		{"an int4 matrix in the shape of its elements", model.U8, "bytes", reshape(128, d)},
		{"a bool matrix", model.I8, "bytes", retype(model.Bool, 256, d)},
	} {
		t.Run(refusal.name, func(t *testing.T) {
			c := newCheckpoint(2, config, refusal.dtype, model.F32)
			at := slices.IndexFunc(c.tensors, func(tensor model.Tensor) bool { return tensor.Name == refusal.tensor })
			require.NotEqual(t, -1, at)
			refusal.change(&c.tensors[at])
			_, err := model.Parse(c.file(t), nil)
			require.ErrorIs(t, err, errors.ErrMalformed)
			require.ErrorContains(t, err, fmt.Sprintf("tensor %q", refusal.tensor))
		})
	}
}

func TestEveryTensorIsNeeded(t *testing.T) {
	for _, dtype := range matrixTypes {
		c := newCheckpoint(3, configs["three layers with everything"], dtype, model.BF16)
		for i, tensor := range c.tensors {
			var file bytes.Buffer
			require.NoError(t, model.Write(&file, c.config, slices.Delete(slices.Clone(c.tensors), i, i+1)))
			_, err := model.Parse(file.Bytes(), nil)
			require.ErrorIs(t, err, errors.ErrMalformed)
			require.ErrorContains(t, err, fmt.Sprintf("tensor %q: is missing", tensor.Name))
		}
	}
}

func TestOtherTensorsAreIgnored(t *testing.T) {
	c := newCheckpoint(4, configs["one layer"], model.F32, model.F32)
	want := c.parse(t, nil).Describe()
	nan := model.FloatTensor("moments.bytes", []float32{float32(math.NaN())}, 1)
	c.tensors = append(c.tensors, nan, model.Tensor{Name: "step", DType: model.I64, Data: make([]byte, 8)},
		model.Tensor{Name: "grams", DType: model.F16, Shape: []int{1}, Data: make([]byte, 2)},
		model.Tensor{Name: "bytes.scales", DType: model.F64, Shape: []int{0}})
	require.Equal(t, want, c.parse(t, nil).Describe())
}

// A scale near the largest float is finite, but its products are not, unless the bytes are small.
func TestScaledElementsMustBeFinite(t *testing.T) {
	config := model.Config{Modalities: []string{"text"}, Context: 8, Width: 3, Columns: 3}
	for _, example := range []struct {
		name    string
		dtype   model.DType
		row     []byte
		allowed bool
	}{
		{"i8 of zero and one", model.I8, []byte{0, 1, 0xFF}, true},
		{"i8 of two", model.I8, []byte{0, 2, 0}, false},
		{"i8 of minus 128", model.I8, []byte{0x80, 0, 0}, false},
		{"int4 of zero and one", model.U8, []byte{0x98, 0x07}, true},
		{"int4 that is ignored", model.U8, []byte{0x88, 0xF8}, true},
		{"int4 of two in a low nibble", model.U8, []byte{0x88, 0x0A}, false},
		{"int4 of minus eight in a high nibble", model.U8, []byte{0x08, 0x08}, false},
	} {
		t.Run(example.name, func(t *testing.T) {
			c := newCheckpoint(5, config, example.dtype, model.F32)
			for _, tensor := range c.tensors {
				switch tensor.Name {
				case "bytes":
					copy(tensor.Data[97*len(example.row):], example.row)
				case "bytes.scales":
					binary.LittleEndian.PutUint32(tensor.Data[97*4:], math.Float32bits(3e38))
				}
			}
			_, err := model.Parse(c.file(t), nil)
			if example.allowed {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, errors.ErrMalformed)
			require.ErrorContains(t, err, `tensor "bytes": row 97`)
		})
	}
}

// The largest f32 is finite, but its bf16 is not.
func TestWeightsTooLargeForBF16(t *testing.T) {
	for _, tensor := range []string{"bytes", "projection"} {
		c := newCheckpoint(6, configs["bytes alone"], model.F32, model.F32)
		at := slices.IndexFunc(c.tensors, func(candidate model.Tensor) bool { return candidate.Name == tensor })
		binary.LittleEndian.PutUint32(c.tensors[at].Data, math.Float32bits(math.MaxFloat32))
		_, err := model.Parse(c.file(t), nil)
		require.NoError(t, err)
		_, err = model.Parse(c.file(t), &model.Options{Kind: abi.ScalarBF16})
		require.ErrorIs(t, err, errors.ErrMalformed)
		require.ErrorContains(t, err, tensor)
	}
}

func TestFileWithoutConfigurationIsNoModel(t *testing.T) {
	for name, file := range map[string][]byte{
		"no metadata":      raw("{}", ""),
		"another metadata": raw(`{"__metadata__":{"format":"pt"}}`, ""),
		"empty":            raw(`{"__metadata__":{"uform":""}}`, ""),
		"no container":     []byte("not a container"),
		"nothing":          nil,
	} {
		_, err := model.Parse(file, nil)
		require.ErrorIs(t, err, errors.ErrMalformed, name)
	}
	_, err := model.Parse(raw(`{"__metadata__":{"uform":"{\"format\":\"uform\",\"version\":3}"}}`, ""), nil)
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

// smallCheckpoint has a few thousand bytes, so that every position in it can be tried.
func smallCheckpoint(dtype model.DType) *checkpoint {
	return newCheckpoint(7, model.Config{Modalities: []string{"text"}, Context: 16, Width: 2, Layers: 1, Heads: 1, Hidden: 2, Columns: 2,
		Grams:   &model.Grams{Sizes: []int{2}, Hashes: 1, Buckets: 3},
		Lexical: &model.Lexical{Sizes: []int{3}, Buckets: 5, Columns: 64, Share: 0.5},
		Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{{Name: "q", InverseTemperature: 1}}}}, dtype, model.F32)
}

func TestTruncationAtEveryByte(t *testing.T) {
	file := smallCheckpoint(model.I8).file(t)
	_, err := model.Parse(file, nil)
	require.NoError(t, err)
	for end := range file {
		_, err := model.Parse(file[:end:end], nil)
		require.ErrorIs(t, err, errors.ErrMalformed, "cut at %d of %d", end, len(file))
	}
	_, err = model.Parse(append(slices.Clone(file), 0), nil)
	require.ErrorIs(t, err, errors.ErrMalformed, "a byte more")
}

// A file at an address where its elements cannot be read is copied, with the same results.
func TestAlignmentDoesNotMatter(t *testing.T) {
	for _, dtype := range matrixTypes {
		c := newCheckpoint(8, configs["three layers with everything"], dtype, model.BF16)
		texts := sampleTexts(c.config.Context)
		file := c.file(t)
		want, wantStates := encodeAll(t, c.parse(t, nil), texts)
		for offset := 1; offset < 4; offset++ {
			moved := append(make([]byte, offset), file...)[offset:]
			m, err := model.Parse(moved, nil)
			require.NoError(t, err)
			got, states := encodeAll(t, m, texts)
			require.Equal(t, want, got)
			require.Equal(t, wantStates, states)
		}
	}
}

func TestParseReportsProgress(t *testing.T) {
	config := configs["bag of grams"]
	grams := *config.Grams
	grams.Buckets, config.Grams = 400000, &grams
	// The last tensor checked is long enough for a report of its own, when all bytes are done and
	// the model is not.
	config.Lexical = &model.Lexical{Sizes: []int{3}, Buckets: 1200000, Columns: 64, Share: 0.5}
	file := newCheckpoint(9, config, model.I8, model.F32).file(t)
	total := uint64(len(file))
	var reports []uint64
	_, err := model.Parse(file, &model.Options{Progress: func(done, of uint64) bool {
		require.Equal(t, total, of)
		reports = append(reports, done)
		return done < total // the last result is ignored
	}})
	require.NoError(t, err)
	require.Greater(t, len(reports), 3)
	require.Zero(t, reports[0])
	require.Equal(t, total, reports[len(reports)-1])
	require.True(t, slices.IsSorted(reports), "%v", reports)
	require.Less(t, reports[len(reports)-2], total, "the end is reported once")
	for last := range len(reports) - 1 {
		calls := 0
		_, err := model.Parse(file, &model.Options{Progress: func(uint64, uint64) bool { calls++; return calls <= last }})
		require.ErrorIs(t, err, errors.ErrCancelled)
		require.Equal(t, last+1, calls)
	}
}

func FuzzParse(f *testing.F) {
	for _, dtype := range matrixTypes {
		f.Add(smallCheckpoint(dtype).file(f))
	}
	f.Add(raw(`{"__metadata__":{"uform":`+fmt.Sprintf("%q", leastConfig)+`},"bytes":{"dtype":"I8","shape":[256,1],"data_offsets":[0,256]}}`,
		strings.Repeat("x", 256)))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := model.Parse(file, nil)
		if err != nil {
			status, known := errors.StatusOf(err)
			require.True(t, known, "%v", err)
			require.Contains(t, []errors.Status{errors.ErrMalformed, errors.ErrUnsupported}, status)
			require.Nil(t, m)
			return
		}
		// A model that loads also runs.
		description := m.Describe()
		embeddings, states := make([]float32, 2*description.EmbeddingColumns), make([]float32, 3*description.StateColumns)
		var scratch model.Scratch
		require.NoError(t, m.Encode(&scratch, [][]byte{[]byte("a b"), nil}, embeddings, states, nil))
	})
}
