package model_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/model"
)

const agreement = 1e-5

func forEachCheckpoint(t *testing.T, run func(t *testing.T, c *checkpoint)) {
	for seed, name := range slices.Sorted(maps.Keys(configs)) {
		for i, dtype := range matrixTypes {
			vectorType := []model.DType{model.F32, model.BF16}[(seed+i)%2]
			t.Run(fmt.Sprintf("%s/%s/%s", name, dtype, vectorType), func(t *testing.T) {
				run(t, newCheckpoint(uint64(seed), configs[name], dtype, vectorType))
			})
		}
	}
}

func requireClose(t *testing.T, want []float64, got []float32, bound float64, format string, arguments ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, v := range want {
		if !(math.Abs(v-float64(got[i])) <= bound) {
			require.Failf(t, "too far from the reference", "%s: element %d is %v, not %v", fmt.Sprintf(format, arguments...), i, got[i], v)
		}
	}
}

// encodeAll returns the embeddings and states of texts, in one call for all.
func encodeAll(t testing.TB, m *model.Model, texts [][]byte) (embeddings, states []float32) {
	t.Helper()
	rows := 0
	for _, text := range texts {
		rows += len(text)
	}
	description := m.Describe()
	embeddings = make([]float32, len(texts)*int(description.EmbeddingColumns))
	states = make([]float32, rows*int(description.StateColumns))
	var scratch model.Scratch
	require.NoError(t, m.Encode(&scratch, texts, embeddings, states, nil))
	return embeddings, states
}

func TestEncodeAgreesWithTheReference(t *testing.T) {
	forEachCheckpoint(t, func(t *testing.T, c *checkpoint) {
		m := c.parse(t, nil)
		texts := sampleTexts(c.config.Context)
		embeddings, states := encodeAll(t, m, texts)
		columns, d := c.config.EmbeddingColumns(), c.config.Width
		for i, text := range texts {
			requireClose(t, c.reference.embedding(text), embeddings[i*columns:(i+1)*columns], agreement, "embedding of %q", text)
			require.InDelta(t, 1, length(embeddings[i*columns:(i+1)*columns]), 1e-5)
			if len(text) == 0 {
				continue
			}
			want, _ := c.reference.states(text)
			for k, row := range want {
				requireClose(t, row, states[k*d:(k+1)*d], agreement*(1+norm64(row)), "state %d of %q", k, text)
			}
			states = states[len(text)*d:]
		}
		require.Empty(t, states)
	})
}

func length(v []float32) float64 {
	wide := make([]float64, len(v))
	for i := range v {
		wide[i] = float64(v[i])
	}
	return norm64(wide)
}

func TestChooseAgreesWithTheReference(t *testing.T) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i * 77)
	}
	forEachCheckpoint(t, func(t *testing.T, c *checkpoint) {
		if c.config.Decoder == nil {
			return
		}
		m := c.parse(t, nil)
		texts := sampleTexts(c.config.Context)
		var choices [][]byte
		var questions []uint32
		room := 0
		for i := range texts {
			choices = append(choices, [][]byte{every, []byte("a"), []byte("yn"), []byte("ABCD")}[i%4])
			questions = append(questions, uint32(i%len(c.config.Decoder.QuestionTypes)))
			room += len(choices[i])
		}
		var scratch model.Scratch
		probabilities := make([]float32, room)
		require.NoError(t, m.Choose(&scratch, texts, choices, questions, probabilities, nil))
		rest := probabilities
		for i, text := range texts {
			got := rest[:len(choices[i])]
			requireClose(t, c.reference.probabilities(text, choices[i], int(questions[i])), got, agreement, "choices after %q", text)
			rest = rest[len(got):]
			alone := make([]float32, len(got))
			require.NoError(t, m.Choose(&scratch, texts[i:i+1], choices[i:i+1], questions[i:i+1], alone, nil))
			require.Equal(t, got, alone, "alone, %q", text)
		}
		zeroes := make([]float32, room)
		require.NoError(t, m.Choose(&scratch, texts, choices, make([]uint32, len(texts)), zeroes, nil))
		require.NoError(t, m.Choose(&scratch, texts, choices, nil, probabilities, nil))
		require.Equal(t, zeroes, probabilities, "no question types mean type zero")
	})
}

func TestTextsHaveTheSameBitsInAnyCompany(t *testing.T) {
	forEachCheckpoint(t, func(t *testing.T, c *checkpoint) {
		m := c.parse(t, nil)
		texts := sampleTexts(c.config.Context)
		texts = append(texts, texts...)
		slices.Reverse(texts[:9])
		embeddings, states := encodeAll(t, m, texts)
		columns, d := c.config.EmbeddingColumns(), c.config.Width
		var scratch model.Scratch
		for i, text := range texts {
			embedding, own := encodeAll(t, m, texts[i:i+1])
			require.Equal(t, embedding, embeddings[i*columns:(i+1)*columns], "%q", text)
			require.Equal(t, own, states[:len(text)*d], "%q", text)
			states = states[len(text)*d:]
			clear(embedding)
			require.NoError(t, m.Encode(&scratch, texts[i:i+1], embedding, nil, nil))
			require.Equal(t, embedding, embeddings[i*columns:(i+1)*columns], "without states, %q", text)
			clear(own)
			require.NoError(t, m.Encode(&scratch, texts[i:i+1], nil, own, nil))
			_, want := encodeAll(t, m, texts[i:i+1])
			require.Equal(t, want, own, "without embeddings, %q", text)
		}
	})
}

// A text this long has its queries in blocks, its values in more than one block of a product, and
// is a group of its own.
func TestLongTextsAgreeWithTheReference(t *testing.T) {
	c := newCheckpoint(12, longConfig(), model.BF16, model.F32)
	m := c.parse(t, nil)
	texts := [][]byte{[]byte("before"), sampleTexts(1000)[14], []byte("after")}
	require.Len(t, texts[1], 1000)
	embeddings, states := encodeAll(t, m, texts)
	columns, d := c.config.EmbeddingColumns(), c.config.Width
	for i, text := range texts {
		requireClose(t, c.reference.embedding(text), embeddings[i*columns:(i+1)*columns], agreement, "%q", text)
		want, _ := c.reference.states(text)
		requireClose(t, want[len(text)-1], states[(len(text)-1)*d:len(text)*d], agreement*(1+norm64(want[len(text)-1])), "%q", text)
		states = states[len(text)*d:]
	}
	var scratch model.Scratch
	probabilities := make([]float32, 6)
	choices := [][]byte{[]byte("ab"), []byte("cd"), []byte("ef")}
	require.NoError(t, m.Choose(&scratch, texts, choices, nil, probabilities, nil))
	for i, text := range texts {
		requireClose(t, c.reference.probabilities(text, choices[i], 0), probabilities[2*i:2*i+2], agreement, "%q", text)
	}
}

func longConfig() model.Config {
	return model.Config{Modalities: []string{"text"}, Context: 1000, Width: 8, Layers: 2, Heads: 2, Hidden: 10, Columns: 9,
		Decoder: &model.Decoder{QuestionTypes: []model.QuestionType{{Name: "any", InverseTemperature: 2}}}}
}

// roundTo16 returns the nearest bf16, ties to even, by comparing both neighbours.
func roundTo16(v float64) float64 {
	below := float64(math.Float32frombits(math.Float32bits(float32(v)) &^ 0xFFFF))
	above := float64(math.Float32frombits(math.Float32bits(float32(v))&^0xFFFF + 0x10000))
	even := math.Float32bits(float32(v))>>16&1 == 0
	switch low, high := math.Abs(v-below), math.Abs(v-above); {
	case low < high, low == high && even:
		return below
	}
	return above
}

func TestKindsOnRequest(t *testing.T) {
	for _, name := range []string{"bag with everything", "two layers"} {
		for _, dtype := range matrixTypes {
			t.Run(fmt.Sprintf("%s/%s", name, dtype), func(t *testing.T) {
				c := newCheckpoint(5, configs[name], dtype, model.F32)
				texts := sampleTexts(c.config.Context)
				columns := c.config.EmbeddingColumns()
				check := func(kind abi.Scalar, packed abi.Scalar) uint64 {
					m := c.parse(t, &model.Options{Kind: kind})
					require.Equal(t, packed, m.Describe().Kind)
					embeddings, _ := encodeAll(t, m, texts)
					for i, text := range texts {
						requireClose(t, c.reference.embedding(text), embeddings[i*columns:(i+1)*columns], agreement, "%v of %q", kind, text)
					}
					return m.Describe().WeightsBytes
				}
				own := abi.ScalarF32
				if dtype == model.BF16 {
					own = abi.ScalarBF16
				}
				check(abi.ScalarUnknown, own)
				full := check(abi.ScalarF32, abi.ScalarF32)
				for _, rows := range c.reference.matrices {
					for _, row := range rows {
						for k, v := range row {
							row[k] = roundTo16(v)
						}
					}
				}
				half := check(abi.ScalarBF16, abi.ScalarBF16)
				if dtype == model.F32 {
					require.Less(t, half, full)
				}
			})
		}
	}
}

// A text that only uses a bucket whose row is zero has no direction of its own.
func TestPartsWithoutLength(t *testing.T) {
	for _, zero := range []struct {
		name            string
		dense, lexical  bool
		wantDense, lane float64
	}{
		{"dense alone", false, true, 1, 0},
		{"lane alone", true, false, 0, 1},
		{"neither", true, true, 0, 0},
	} {
		t.Run(zero.name, func(t *testing.T) {
			c := newCheckpoint(6, configs["bag with everything"], model.F32, model.F32)
			for i := range c.tensors {
				name := c.tensors[i].Name
				if name == "projection" && zero.dense || name == "lexical" && zero.lexical {
					clear(c.tensors[i].Data)
				}
			}
			m := c.parse(t, nil)
			embedding, _ := encodeAll(t, m, [][]byte{[]byte("some text")})
			if zero.dense && zero.lexical {
				requireClose(t, c.reference.vectors["empty"], embedding, 0, "empty")
				return
			}
			require.InDelta(t, zero.wantDense, length(embedding[:c.config.Columns]), 1e-6)
			require.InDelta(t, zero.lane, length(embedding[c.config.Columns:]), 1e-6)
		})
	}
}
