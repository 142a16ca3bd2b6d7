package contract_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/uform"
)

// D06: the kinds of outputs.
var roundingFacts = []fact{
	{id: "D06", words: "outputs_round_to_nearest_even", table: rounded, api: roundedForTheUser},
}

// hard returns numbers that are hard to round: halfway between two halves, two bfloats, two
// multiples of 1/127, or close to that, subnormal or lost as a half, of either sign.
var hard = sync.OnceValue(func() []float32 {
	var values []float32
	bits := func(word uint32) { values = append(values, math.Float32frombits(word)) }
	for _, word := range []uint32{0x3D800000, 0x3D010000, 0x3C7F0000} {
		for _, low := range []uint32{0x0FFF, 0x1000, 0x1001, 0x3000, 0x5000, 0x7FFF, 0x8000, 0x8001, 0xFFFF} {
			bits(word | low)           // ends between two halves or two bfloats
			bits(word | 0x10000 | low) // whose neighbour is odd
		}
	}
	for _, unit := range []float64{0.25, 0.4999, 0.5, 0.5001, 1, 1.5, 2.5, 1023.5, 1024.5} {
		values = append(values, float32(unit*0x1p-24)) // the steps of subnormal halves
	}
	for step := range 12 {
		near := float32((float64(step) + 0.5) / 127)
		values = append(values, near, math.Nextafter32(near, 0), math.Nextafter32(near, 1), float32(float64(step)/127))
	}
	for _, value := range slices.Clone(values) {
		values = append(values, -value)
	}
	return append(values, 0, float32(math.Copysign(0, -1)), 1e-30, 1e-40, 0.5, -0.25)
})

// roundingModel has hard numbers as the embedding of the empty text, which every implementation
// returns as it is stored.
var roundingModel = sync.OnceValue(func() *checkpoint {
	empty := slices.Clone(hard())
	var squares float64
	for _, v := range empty {
		squares += float64(v) * float64(v)
	}
	if squares >= 1 {
		panic("the hard numbers are too long for a unit vector")
	}
	empty = append(empty, float32(math.Sqrt(1-squares)))
	config := everything()
	config.Lexical, config.Columns = nil, len(empty)
	weights := tensors(config, floatMatrix)
	return assemble(config, replaced(weights, model.FloatTensor("empty", empty, len(empty))))
})

// toHalf rounds to the nearest IEEE half, ties to even, by a search among its neighbours.
func toHalf(v float32) uint16 {
	sign := uint16(math.Float32bits(v) >> 31 << 15)
	magnitude := math.Abs(float64(v))
	// Halves of one sign are ordered as their bits are.
	low, high := 0, 0x7BFF
	for low < high {
		middle := (low + high + 1) / 2
		if halfValue(uint16(middle)) <= magnitude {
			low = middle
		} else {
			high = middle - 1
		}
	}
	below, above := magnitude-halfValue(uint16(low)), halfValue(uint16(low+1))-magnitude
	if above < below || above == below && low%2 == 1 {
		low++
	}
	return sign | uint16(low)
}

// halfValue returns the value of a half without a sign.
func halfValue(bits uint16) float64 {
	exponent, fraction := int(bits>>10), float64(bits&0x3FF)
	if exponent == 0 {
		return math.Ldexp(fraction, -24)
	}
	return math.Ldexp(1024+fraction, exponent-25)
}

// toBFloat rounds to the nearest bfloat, ties to even.
func toBFloat(v float32) uint16 {
	bits := math.Float32bits(v)
	lower := uint16(bits >> 16)
	switch rest := bits & 0xFFFF; {
	case rest > 0x8000, rest == 0x8000 && lower%2 == 1:
		return lower + 1
	}
	return lower
}

// toInt8 is the clamped multiple of 1/127. The product is exact in 64 bits.
func toInt8(v float32) byte {
	return byte(int8(max(-127, min(127, math.RoundToEven(float64(v)*127)))))
}

func rounded(s *seam) {
	p := s.place(roundingModel())
	texts := []string{"", "a text", "another one", ""}
	wide := s.read(s.encode(p.encoding(texts...)))
	stored := wide.row(0)
	for i, v := range hard() {
		require.Equal(s, math.Float32bits(v), math.Float32bits(stored[i]), "f32 is what the checkpoint stores")
	}
	for scalar, round := range map[abi.Scalar]func(float32) uint16{abi.ScalarF16: toHalf, abi.ScalarBF16: toBFloat} {
		e := s.encode(p.encoding(texts...).scalars(scalar))
		sameHalves(s, scalar, wide.embeddings, halves(s.raw(e.embeddings, len(texts))), round)
		sameHalves(s, scalar, wide.states, halves(s.raw(e.states.Rows, wide.offsets[len(texts)])), round)
	}
	e := s.encode(p.encoding(texts...).as(abi.ScalarI8))
	got := s.raw(e.embeddings, len(texts))
	for i, v := range wide.embeddings {
		require.Equal(s, int8(toInt8(v)), int8(got[i]), "127 times %v is %v", v, float64(v)*127)
	}
	s.refused(p.encoding(texts...).scalars(abi.ScalarI8), abi.StatusUnsupported, -1)
	for _, scalar := range abi.ScalarValues() {
		switch scalar {
		case abi.ScalarUnknown, abi.ScalarF32, abi.ScalarF16, abi.ScalarBF16, abi.ScalarI8:
		default:
			s.refused(p.encoding(texts...).as(scalar), abi.StatusUnsupported, -1)
		}
	}
	scalars := abi.ScalarValues()
	s.refused(p.encoding(texts...).as(slices.Max(scalars[:])+1), abi.StatusInvalidArgument, -1)
	s.refused(p.encoding(texts...).as(-1), abi.StatusInvalidArgument, -1)
}

func sameHalves(s *seam, scalar abi.Scalar, wide []float32, got []uint16, round func(float32) uint16) {
	s.Helper()
	require.Len(s, got, len(wide))
	for i, v := range wide {
		require.Equal(s, round(v), got[i], "%v of %v, which is %#x", scalar, v, math.Float32bits(v))
	}
}

func roundedForTheUser(u *user) {
	at := u.seat(roundingModel())
	on := at.model.On(at.executor)
	texts := uform.Strings([]string{"", "a text"})
	encoded, err := on.TextEncode(background, texts, at.arena, nil)
	require.NoError(u, err)
	wide := u.floats(encoded.Embeddings)
	for scalar, widen := range map[uform.Scalar]func(float32) float32{
		uform.F16: func(v float32) float32 {
			half := toHalf(v)
			return float32(math.Copysign(halfValue(half&0x7FFF), float64(v)))
		},
		uform.BF16: func(v float32) float32 { return math.Float32frombits(uint32(toBFloat(v)) << 16) },
		uform.I8:   func(v float32) float32 { return float32(int8(toInt8(v))) / 127 },
	} {
		encoded, err := on.TextEncode(background, texts, at.arena, &uform.TextOptions{Scalar: scalar})
		require.NoError(u, err)
		if u.onDevice {
			require.Equal(u, scalar, encoded.Embeddings.Scalar())
			continue
		}
		rows, err := encoded.Embeddings.Copy()
		require.NoError(u, err)
		for i, v := range slices.Concat(rows...) {
			require.Equal(u, widen(wide[i]), v, "%v of %v", scalar, wide[i])
		}
	}
	_, err = on.TextEncode(background, texts, at.arena, &uform.TextOptions{Scalar: uform.I8, Outputs: uform.States})
	require.ErrorIs(u, err, uform.ErrUnsupported)
}

func ignoredTensors(s *seam) {
	config := everything()
	weights := tensors(config, floatMatrix)
	metadata, err := config.Metadata()
	require.NoError(s, err)
	metadata["note"] = "no implementation serves this"
	var file bytes.Buffer
	require.NoError(s, model.WriteContainer(&file, metadata, append(weights,
		model.Tensor{Name: "trainer.step", DType: model.I64, Data: make([]byte, 8)},
		model.Tensor{Name: "moments.bytes", DType: model.F64, Shape: []int{2, 3}, Data: bytes.Repeat([]byte{0xFF}, 48)},
		model.Tensor{Name: "layers.9.attention.norm", DType: model.F16, Shape: []int{0}},
	)))
	executor := s.executor()
	loaded, outcome := s.tryLoad(executor, store(s.T, file.Bytes()))
	s.succeeded(outcome)
	p := place{executor, loaded, s.arena(executor)}
	full().encodesLike(s.T, samples, s.read(s.encode(p.encoding(samples...))))
	require.Equal(s, s.describeModel(s.load(executor, full()), executor, abi.CompletionBlocking).Parameters,
		s.describeModel(loaded, executor, abi.CompletionBlocking).Parameters)
}

// notNumbers are values that no weight may have, as f32 and as bf16.
var notNumbers = map[string]uint32{"NaN": 0x7FC00000, "a signalling NaN": 0x7F810000, "infinity": 0x7F800000, "minus infinity": 0xFF800000}

func badWeights(s *seam) {
	executor := s.executor()
	for _, c := range []struct {
		config *model.Config
		matrix matrixMaker
	}{{full().config, floatMatrix}, {half().config, halfMatrix}, {packed().config, packedMatrix()}} {
		weights := tensors(c.config, c.matrix)
		for i, tensor := range weights {
			for name, word := range notNumbers {
				data := slices.Clone(tensor.Data)
				at := len(data) / 2 / tensor.DType.Size() * tensor.DType.Size()
				switch tensor.DType {
				case model.F32:
					binary.LittleEndian.PutUint32(data[at:], word)
				case model.BF16:
					binary.LittleEndian.PutUint16(data[at:], uint16(word>>16))
				default:
					continue // every integer is valid
				}
				tensor.Data = data
				changed := slices.Clone(weights)
				changed[i] = tensor
				refusedLoad(s, executor, c.config, changed, tensor.Name, name)
			}
		}
	}
	weights := tensors(full().config, floatMatrix)
	negative := model.FloatTensor("lexical", make([]float32, 40), 40)
	binary.LittleEndian.PutUint32(negative.Data[4*39:], math.Float32bits(-1e-30))
	refusedLoad(s, executor, full().config, replaced(weights, negative), "lexical", "a negative weight")
	columns := full().config.EmbeddingColumns()
	short := make([]float32, columns)
	short[3] = 0.998
	refusedLoad(s, executor, full().config, replaced(weights, model.FloatTensor("empty", short, columns)), "empty", "not of unit length")
}

// refusedLoad requires that a checkpoint is malformed, and that the message names the tensor.
func refusedLoad(s *seam, executor abi.Executor, config *model.Config, weights []model.Tensor, tensor, why string) {
	s.Helper()
	var file bytes.Buffer
	require.NoError(s, model.Write(&file, config, weights))
	loaded, outcome := s.tryLoad(executor, store(s.T, file.Bytes()))
	require.Zero(s, loaded, "%s in %s", why, tensor)
	require.Equal(s, abi.StatusMalformed.String(), outcome.Status.String(), "%s in %s", why, tensor)
	require.Contains(s, text(outcome), tensor, why)
}

func badWeightsOfTheUser(u *user) {
	weights := tensors(full().config, floatMatrix)
	norm := model.FloatTensor("norm", []float32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, float32(math.NaN())}, 16)
	var file bytes.Buffer
	require.NoError(u, model.Write(&file, full().config, replaced(weights, norm)))
	_, err := u.library.LoadBytes(background, file.Bytes(), &uform.LoadOptions{Executor: u.executor()})
	require.ErrorIs(u, err, uform.ErrMalformed)
	require.ErrorContains(u, err, "norm")
}
