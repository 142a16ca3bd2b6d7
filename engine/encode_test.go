package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/model"
)

// sentences returns texts of mixed lengths, some of them empty, some beyond the context of tiny.
func sentences(count int) []string {
	random := rand.New(rand.NewPCG(11, 13))
	texts := make([]string, count)
	for i := range texts {
		var text strings.Builder
		for range random.IntN(120) {
			text.WriteRune([]rune("etaoin shrdlu éß漢")[random.IntN(17)])
		}
		texts[i] = text.String()
	}
	return texts
}

// alone encodes one text with the model directly, cut as text_encode cuts.
func alone(t testing.TB, m *model.Model, text string) (embedding, states []float32) {
	description := m.Describe()
	text = text[:min(len(text), int(description.Context))]
	embedding = make([]float32, description.EmbeddingColumns)
	states = make([]float32, len(text)*int(description.StateColumns))
	var scratch model.Scratch
	require.NoError(t, m.Encode(&scratch, [][]byte{[]byte(text)}, embedding, states, nil))
	return embedding, states
}

// TestEncodeIsTheModel compares each item of a batch with the same item alone, and every way to run
// the batch with every other, to the last bit.
func TestEncodeIsTheModel(t *testing.T) {
	for name, config := range map[string]*model.Config{"tiny": tiny(), "bare": bare()} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			m := w.load(config)
			parsed, err := model.Parse(checkpoint(t, config), nil)
			require.NoError(t, err)
			texts := sentences(120)
			texts[7], texts[8] = "", ""
			texts[9] = strings.Repeat("longer than the context ", 50)

			first := w.succeeds(w.encoding(m, w.arena(), texts...))
			rows := offsets(first.states, len(texts))
			embeddings := floats(first.embeddings, len(texts))
			states := floats(first.states.Rows, int(rows[len(texts)]))
			columns, stateColumns := int(first.embeddings.Columns), int(first.states.Rows.Columns)
			for i, text := range texts {
				embedding, own := alone(t, parsed, text)
				require.InDeltaSlice(t, embedding, embeddings[i*columns:(i+1)*columns], 1e-5, "item %d", i)
				require.Equal(t, uintptr(min(len(text), 96)), rows[i+1]-rows[i], "item %d", i)
				if len(text) > 0 {
					require.InDeltaSlice(t, own, states[int(rows[i])*stateColumns:int(rows[i+1])*stateColumns], 1e-5, "item %d", i)
				}
			}
			// The embedding of an empty text, as the checkpoint has it.
			require.Equal(t, float32(0.6), embeddings[7*columns])
			require.Equal(t, float32(-0.8), embeddings[8*columns-1])

			for _, threads := range []int{1, 2, 5} {
				for _, exclusivity := range []abi.CallerExclusivity{abi.CallerInclusive, abi.CallerExclusive} {
					executor := w.executor(threads, exclusivity)
					for _, e := range []*encoding{
						w.encoding(m, w.arena(), texts...).on(executor),
						w.encoding(m, w.arena(), texts...).deferred(executor),
					} {
						w.TextEncode(&e.TextEncode)
						w.wait(e)
						require.Equal(t, bits(embeddings), bits(floats(e.embeddings, len(texts))))
						require.Equal(t, bits(states), bits(floats(e.states.Rows, len(states)/stateColumns)))
						require.Equal(t, rows, offsets(e.states, len(texts)))
					}
				}
			}
			for _, e := range []*encoding{w.encoding(m, w.arena(), texts...), w.encoding(m, w.arena(), texts...)} {
				e.States = nil // one output alone is the same
				w.succeeds(e)
				require.Equal(t, bits(embeddings), bits(floats(e.embeddings, len(texts))))
			}
			e := w.encoding(m, w.arena(), texts...)
			e.Embeddings = nil
			w.succeeds(e)
			require.Equal(t, bits(states), bits(floats(e.states.Rows, len(states)/stateColumns)))
		})
	}
}

// Decoders of the narrow kinds, written from their definitions.
func fromF16(h uint16) float64 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	if exponent == 0 {
		return sign * fraction * 0x1p-24
	}
	return sign * (1 + fraction/1024) * math.Pow(2, float64(exponent-15))
}

func fromBF16(h uint16) float64 { return float64(math.Float32frombits(uint32(h) << 16)) }

func TestScalars(t *testing.T) {
	w := newWorld(t)
	m, arena := w.load(tiny()), w.arena()
	texts := sentences(80)
	wide := w.succeeds(w.encoding(m, w.arena(), texts...))
	embeddings := floats(wide.embeddings, len(texts))
	rows := int(offsets(wide.states, len(texts))[len(texts)])
	states := floats(wide.states.Rows, rows)

	e := w.encoding(m, arena, texts...)
	e.Scalar = abi.ScalarF32
	w.succeeds(e)
	require.Equal(t, bits(embeddings), bits(floats(e.embeddings, len(texts))))

	// Half a unit in the last place is 2^-11 and 2^-8 of the value, and 2^-25 where f16 has no
	// smaller exponents.
	for _, narrow := range []struct {
		kind             abi.Scalar
		decode           func(uint16) float64
		relative, lowest float64
	}{{abi.ScalarF16, fromF16, 0x1p-11, 0x1p-25}, {abi.ScalarBF16, fromBF16, 0x1p-8, 0}} {
		e := w.encoding(m, arena, texts...).on(w.executor(2, abi.CallerInclusive))
		e.Scalar = narrow.kind
		w.succeeds(e)
		check := func(want []float32, got []uint16) {
			require.Len(t, got, len(want))
			for i, v := range want {
				require.InDelta(t, v, narrow.decode(got[i]), math.Abs(float64(v))*narrow.relative+narrow.lowest)
			}
		}
		check(embeddings, elements[uint16](e.embeddings, len(texts)))
		check(states, elements[uint16](e.states.Rows, rows))
	}

	e = w.encoding(m, arena, texts...)
	e.Scalar, e.States = abi.ScalarI8, nil
	w.succeeds(e)
	require.EqualValues(t, 84, e.embeddings.Stride)
	for i, got := range elements[int8](e.embeddings, len(texts)) {
		want := max(-127, min(127, math.RoundToEven(127*float64(embeddings[i]))))
		require.InDelta(t, want, got, 0)
	}
}

func TestEncodeNothing(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	for _, count := range []int{0, 3} {
		arena := w.arena()
		kept := w.succeeds(w.encoding(m, arena, "kept"))
		e := w.encoding(m, arena, make([]string, count)...)
		if count == 0 {
			e.Texts = abi.TapeView{}
		}
		w.succeeds(e)
		require.Equal(t, make([]uintptr, count+1), offsets(e.states, count))
		require.Nil(t, e.states.Rows.Data)
		require.EqualValues(t, 84, e.embeddings.Columns)
		if count == 0 {
			require.Nil(t, e.embeddings.Data)
			require.True(t, math.IsNaN(float64(floats(kept.embeddings, 1)[20])), "the arena was not rewound")
		}
	}
	e := w.encoding(m, w.arena())
	e.Texts, e.States = abi.TapeView{}, nil
	w.succeeds(e)
	growths, _ := w.inside.Arena(e.Arena)
	require.Zero(t, growths)
}

func TestEncodeRefuses(t *testing.T) {
	w := newWorld(t)
	m, arena, executor := w.load(tiny()), w.arena(), w.inline()
	for name, row := range map[string]struct {
		change func(*encoding)
		status abi.Status
		item   int
	}{
		"completion":          {func(e *encoding) { e.Completion = -1 }, abi.StatusInvalidArgument, -1},
		"nobody to defer":     {func(e *encoding) { e.Completion, e.Executor = abi.CompletionDeferring, 0 }, abi.StatusInvalidArgument, -1},
		"scalar 12":           {func(e *encoding) { e.Scalar = 12 }, abi.StatusInvalidArgument, -1},
		"scalar -1":           {func(e *encoding) { e.Scalar = -1 }, abi.StatusInvalidArgument, -1},
		"f64":                 {func(e *encoding) { e.Scalar = abi.ScalarF64 }, abi.StatusUnsupported, -1},
		"e3m2":                {func(e *encoding) { e.Scalar = abi.ScalarE3M2 }, abi.StatusUnsupported, -1},
		"i8 states":           {func(e *encoding) { e.Scalar = abi.ScalarI8 }, abi.StatusUnsupported, -1},
		"unsupported second":  {func(e *encoding) { e.Scalar, e.Progress = abi.ScalarI8, 1 }, abi.StatusInvalidArgument, -1},
		"offsets third":       {func(e *encoding) { e.Scalar, e.Texts.Offsets = abi.ScalarI8, &[]uintptr{2, 1, 1}[0] }, abi.StatusUnsupported, -1},
		"callback":            {func(e *encoding) { e.Progress = 1 }, abi.StatusInvalidArgument, -1},
		"no data":             {func(e *encoding) { e.Texts.Data = nil }, abi.StatusInvalidArgument, -1},
		"no offsets":          {func(e *encoding) { e.Texts.Offsets = nil }, abi.StatusInvalidArgument, -1},
		"offsets decrease":    {func(e *encoding) { e.Texts.Offsets = &[]uintptr{0, 2, 1}[0] }, abi.StatusInvalidArgument, 1},
		"count without end":   {func(e *encoding) { e.Count = math.MaxUint }, abi.StatusInvalidArgument, -1},
		"count past the end":  {func(e *encoding) { e.Count = math.MaxUint / 8 }, abi.StatusInvalidArgument, -1},
		"offsets past memory": {func(e *encoding) { e.Texts.Offsets = &[]uintptr{0, 1, math.MaxUint}[0] }, abi.StatusInvalidArgument, -1},
		"not UTF-8":           {func(e *encoding) { e.Texts = tape("fine", "\xed\xa0\x80") }, abi.StatusMalformed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, on := range []abi.Executor{0, executor} {
				e := w.encoding(m, arena, "one", "two").on(on)
				row.change(e)
				w.fails(e, row.status, row.item)
			}
			e := w.encoding(m, arena, "one", "two").deferred(executor)
			row.change(e)
			w.TextEncode(&e.TextEncode)
			if row.status == abi.StatusMalformed { // the only verb that reads texts
				require.Equal(t, abi.StatusDeferred, w.OutcomeStatus(&e.outcome))
			} else {
				require.Equal(t, row.status, w.OutcomeStatus(&e.outcome))
			}
			w.OutcomeWait(&e.outcome)
			requireFailure(t, &e.outcome, row.status, row.item)
			require.Zero(t, e.embeddings)
			require.Zero(t, e.states)
		})
	}
	e := w.encoding(m, arena, "one")
	e.Embeddings, e.States = nil, nil
	w.TextEncode(&e.TextEncode)
	requireFailure(t, &e.outcome, abi.StatusInvalidArgument, -1)
}

// TestTextsAreCheckedBeforeAnyIsComputed has its only invalid text far after the first slice, and
// in it beyond the context.
func TestTextsAreCheckedBeforeAnyIsComputed(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	texts := sentences(500)
	texts[431] = strings.Repeat("valid up to here ", 30) + "\xfe"
	e := w.encoding(m, w.arena(), texts...)
	var reports []uintptr
	e.Progress = abi.Progress(w.ProgressCallback)
	e.ProgressState = abi.HoldProgress(func(finished, _ uintptr) bool { reports = append(reports, finished); return true })
	defer abi.ReleaseProgress(e.ProgressState)
	w.fails(e, abi.StatusMalformed, 431)
	require.Equal(t, []uintptr{0}, reports)
}

// TestWithoutOutcome shows that a call without an outcome blocks, even if it asks to be deferred.
func TestWithoutOutcome(t *testing.T) {
	w := newWorld(t)
	m, arena := w.load(tiny()), w.arena()
	for _, executor := range []abi.Executor{0, w.inline(), w.owned()} {
		for _, completion := range []abi.Completion{abi.CompletionBlocking, abi.CompletionDeferring} {
			e := w.encoding(m, arena, "text").on(executor)
			e.Outcome, e.Completion = nil, completion
			w.TextEncode(&e.TextEncode)
			if executor == 0 && completion == abi.CompletionDeferring {
				require.Zero(t, e.embeddings, "only an executor can defer, with an outcome or without")
				continue
			}
			require.NotNil(t, e.embeddings.Data)
			require.False(t, math.IsNaN(float64(floats(e.embeddings, 1)[0])))
			e.Model = 0
			w.TextEncode(&e.TextEncode)
			require.Zero(t, e.embeddings)
		}
	}
}

// TestInputsAreLetGo shows that objects kept for the next call hold no inputs of a final call.
func TestInputsAreLetGo(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	for name, executor := range map[string]abi.Executor{"calling thread": 0, "inline": w.inline(), "worker": w.owned()} {
		arena := w.arena()
		for verb, run := range map[string]func(data []byte){
			"encode": func(data []byte) {
				e := w.encoding(m, arena, string(data)).on(executor)
				e.Texts.Data = dataOf(data)
				e.Texts.Offsets = &[]uintptr{0, uintptr(len(data))}[0]
				w.succeeds(e)
			},
			"deferred": func(data []byte) {
				e := w.encoding(m, arena, string(data)).deferred(executor)
				e.Texts.Data = dataOf(data)
				e.Texts.Offsets = &[]uintptr{0, uintptr(len(data))}[0]
				if executor != 0 {
					w.TextEncode(&e.TextEncode)
					w.wait(e)
				}
			},
			"choose": func(data []byte) {
				c := w.choosing(m, arena, []string{"text"}, []string{string(data)})
				c.Executor = executor
				c.Choices.Data = dataOf(data)
				c.Choices.Offsets = &[]uintptr{0, uintptr(len(data))}[0]
				w.TextChoose(&c.TextChoose)
				requireSuccess(t, &c.outcome)
			},
		} {
			kept := func() weak.Pointer[byte] {
				data := append(make([]byte, 0, 64), "abcdefghijklmnopqrstuvwxyz"...)
				run(data)
				return weak.Make(&data[0])
			}()
			runtime.GC()
			require.Nil(t, kept.Value(), "%s on the %s", verb, name)
		}
	}
}

// TestLongTexts has one item per slice, each longer than a slice.
func TestLongTexts(t *testing.T) {
	w := newWorld(t)
	m := w.load(long())
	parsed, err := model.Parse(checkpoint(t, long()), nil)
	require.NoError(t, err)
	texts := []string{strings.Repeat("long ", 120), strings.Repeat("longer ", 100), "short"}
	require.Greater(t, len(texts[0]), engine.SliceTokens)
	e := w.succeeds(w.encoding(m, w.arena(), texts...).on(w.executor(2, abi.CallerInclusive)))
	for i, text := range texts {
		embedding, _ := alone(t, parsed, text)
		require.InDeltaSlice(t, embedding, floats(e.embeddings, 3)[i*84:(i+1)*84], 1e-5)
	}
}

// FuzzTexts encodes arbitrary bytes cut at arbitrary places, and compares the outcome with the
// rules.
func FuzzTexts(f *testing.F) {
	f.Add([]byte("two texts"), []byte{0, 3, 9})
	f.Add([]byte("\xff\xfe"), []byte{0, 1, 2})
	f.Add([]byte("decreasing"), []byte{5, 2, 7})
	f.Add([]byte(""), []byte{0})
	w := newWorld(f)
	m, arena := w.load(tiny()), w.arena()
	f.Fuzz(func(t *testing.T, data, places []byte) {
		if len(places) == 0 {
			return
		}
		data = append(data, '.')
		cuts := make([]uintptr, len(places))
		for i, place := range places {
			cuts[i] = uintptr(int(place) % len(data))
		}
		e := w.encoding(m, arena, "")
		e.Texts.Data = dataOf(data)
		e.Texts.Offsets = &cuts[0]
		e.Count = uintptr(len(cuts) - 1)
		want, item := abi.StatusSuccess, 0
		for i := range cuts[1:] {
			if cuts[i+1] < cuts[i] {
				want, item = abi.StatusInvalidArgument, i
				break
			}
		}
		if want == abi.StatusSuccess {
			for i := range cuts[1:] {
				if !utf8.Valid(data[cuts[i]:cuts[i+1]]) {
					want, item = abi.StatusMalformed, i
					break
				}
			}
		}
		w.TextEncode(&e.TextEncode)
		require.Equal(t, fmt.Sprint(want, item), fmt.Sprint(e.outcome.Status, e.outcome.Item))
		if want == abi.StatusSuccess {
			require.Equal(t, cuts[len(cuts)-1]-cuts[0] > 0, e.states.Rows.Data != nil)
		}
	})
}
