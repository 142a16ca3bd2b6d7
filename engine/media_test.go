package engine_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/model"
)

// everyVerb runs a test on each verb of media, with the model of seeing loaded.
func everyVerb(t *testing.T, test func(t *testing.T, w *world, m abi.Model, verb *mediaVerb)) {
	for _, verb := range mediaVerbs(t) {
		t.Run(verb.name, func(t *testing.T) {
			w := newWorld(t)
			test(t, w, w.load(seeing()), verb)
		})
	}
}

// Each item has the same bits alone and in a batch, with one output and with both, on every
// executor.
func TestMediaBatchesAreTheirItems(t *testing.T) {
	everyVerb(t, func(t *testing.T, w *world, m abi.Model, verb *mediaVerb) {
		embeddings, states, rows := w.encodes(w.media(verb, m, w.arena(), verb.items...)).rowsOf()
		const columns, d = 84, 16
		require.Len(t, embeddings, len(verb.items)*columns)
		for i, item := range verb.items {
			if verb.tokens != nil {
				require.Equal(t, verb.tokens[i], rows[i+1]-rows[i], "item %d", i)
			}
			own := embeddings[i*columns : (i+1)*columns]
			if item == "" {
				require.Equal(t, rows[i], rows[i+1])
				require.Equal(t, float32(0.6), own[0])
				require.Equal(t, float32(-0.8), own[columns-1])
				continue
			}
			require.Greater(t, rows[i+1], rows[i])
			require.InDelta(t, 1, dot(own, own), 1e-5)
			require.Equal(t, make([]float32, 64), own[20:], "the lane's columns")
			embedding, ownStates, _ := w.encodes(w.media(verb, m, w.arena(), item)).rowsOf()
			require.Equal(t, bits(own), bits(embedding), "item %d", i)
			require.Equal(t, bits(states[int(rows[i])*d:int(rows[i+1])*d]), bits(ownStates), "item %d", i)
		}
		for _, threads := range []int{1, 3} {
			for _, exclusivity := range []abi.CallerExclusivity{abi.CallerInclusive, abi.CallerExclusive} {
				executor := w.executor(threads, exclusivity)
				for _, completion := range []abi.Completion{abi.CompletionBlocking, abi.CompletionDeferring} {
					e := w.media(verb, m, w.arena(), verb.items...)
					e.Executor, e.Completion = executor, completion
					embeddingsThere, statesThere, rowsThere := w.encodes(e).rowsOf()
					require.Equal(t, bits(embeddings), bits(embeddingsThere))
					require.Equal(t, bits(states), bits(statesThere))
					require.Equal(t, rows, rowsThere)
				}
			}
		}
		e := w.media(verb, m, w.arena(), verb.items...)
		e.States = nil
		alone, _, _ := w.encodes(e).rowsOf()
		require.Equal(t, bits(embeddings), bits(alone))
		e = w.media(verb, m, w.arena(), verb.items...)
		e.Embeddings = nil
		_, alone, _ = w.encodes(e).rowsOf()
		require.Equal(t, bits(states), bits(alone))
	})
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestMediaScalars(t *testing.T) {
	everyVerb(t, func(t *testing.T, w *world, m abi.Model, verb *mediaVerb) {
		embeddings, states, rows := w.encodes(w.media(verb, m, w.arena(), verb.items...)).rowsOf()
		count := len(verb.items)
		for _, narrow := range []struct {
			kind             abi.Scalar
			decode           func(uint16) float64
			relative, lowest float64
		}{{abi.ScalarF16, fromF16, 0x1p-11, 0x1p-25}, {abi.ScalarBF16, fromBF16, 0x1p-8, 0}} {
			e := w.media(verb, m, w.arena(), verb.items...)
			e.Scalar = narrow.kind
			w.encodes(e)
			check := func(want []float32, got []uint16) {
				require.Len(t, got, len(want))
				for i, v := range want {
					require.InDelta(t, v, narrow.decode(got[i]), math.Abs(float64(v))*narrow.relative+narrow.lowest)
				}
			}
			check(embeddings, elements[uint16](e.embeddings, count))
			check(states, elements[uint16](e.states.Rows, int(rows[count])))
		}
		e := w.media(verb, m, w.arena(), verb.items...)
		e.Scalar, e.States = abi.ScalarI8, nil
		w.encodes(e)
		for i, got := range elements[int8](e.embeddings, count) {
			require.InDelta(t, max(-127, min(127, math.RoundToEven(127*float64(embeddings[i])))), got, 0)
		}
	})
}

func TestMediaOfNothing(t *testing.T) {
	everyVerb(t, func(t *testing.T, w *world, m abi.Model, verb *mediaVerb) {
		for _, count := range []int{0, 5} {
			e := w.media(verb, m, w.arena(), make([]string, count)...)
			if count == 0 {
				e.Texts, e.heights, e.widths = abi.TapeView{}, nil, nil
			}
			w.encodes(e)
			require.Equal(t, make([]uintptr, count+1), offsets(e.states, count))
			require.Nil(t, e.states.Rows.Data)
			require.Equal(t, count == 0, e.embeddings.Data == nil)
		}
	})
}

func TestMediaRefusals(t *testing.T) {
	everyVerb(t, func(t *testing.T, w *world, m abi.Model, verb *mediaVerb) {
		executor, arena := w.inline(), w.arena()
		inside := w.encodes(w.media(verb, m, arena, verb.items...)).embeddings.Data
		for name, row := range map[string]struct {
			change func(*media)
			status abi.Status
			item   int
		}{
			"no model":         {func(e *media) { e.Model = 0 }, abi.StatusInvalidArgument, -1},
			"an arena's model": {func(e *media) { e.Model = abi.Model(e.Arena) }, abi.StatusInvalidArgument, -1},
			"no arena":         {func(e *media) { e.Arena = 0 }, abi.StatusInvalidArgument, -1},
			"another executor": {func(e *media) { e.Executor = abi.Executor(e.Arena) }, abi.StatusInvalidArgument, -1},
			"completion":       {func(e *media) { e.Completion = 7 }, abi.StatusInvalidArgument, -1},
			"nobody to defer":  {func(e *media) { e.Executor, e.Completion = 0, abi.CompletionDeferring }, abi.StatusInvalidArgument, -1},
			"scalar 99":        {func(e *media) { e.Scalar = 99 }, abi.StatusInvalidArgument, -1},
			"callback":         {func(e *media) { e.Progress = 1 }, abi.StatusInvalidArgument, -1},
			"no data":          {func(e *media) { e.Texts.Data = nil }, abi.StatusInvalidArgument, -1},
			"no offsets":       {func(e *media) { e.Texts.Offsets = nil }, abi.StatusInvalidArgument, -1},
			"offsets decrease": {func(e *media) { e.Texts.Offsets = &[]uintptr{0, 12, 4}[0] }, abi.StatusInvalidArgument, 1},
			"past memory":      {func(e *media) { e.Texts.Offsets = &[]uintptr{0, 1, math.MaxUint}[0] }, abi.StatusInvalidArgument, -1},
			"in the arena":     {func(e *media) { e.Texts.Data = inside }, abi.StatusInvalidArgument, -1},
			"f64":              {func(e *media) { e.Scalar = abi.ScalarF64 }, abi.StatusUnsupported, -1},
			"i8 states":        {func(e *media) { e.Scalar = abi.ScalarI8 }, abi.StatusUnsupported, -1},
		} {
			t.Run(name, func(t *testing.T) {
				e := w.media(verb, m, arena, verb.items[0], verb.items[2])
				e.Executor, e.Completion = executor, abi.CompletionDeferring
				row.change(e)
				verb.call(w, e)
				require.Equal(t, row.status, w.OutcomeStatus(&e.outcome), "all of this is known at submission")
				w.refuses(e, row.status, row.item)
			})
		}
		e := w.media(verb, m, w.arena(), verb.items[0])
		e.Embeddings, e.States = nil, nil
		w.refuses(e, abi.StatusInvalidArgument, -1)
		verb.call(w, &media{encoding: encoding{}, verb: verb}) // no outcome, no arguments
	})
}

// A model has the modalities that it declares, and invalid arguments are reported before
// unsupported ones.
func TestMediaThatTheModelLacks(t *testing.T) {
	for _, verb := range mediaVerbs(t) {
		w := newWorld(t)
		m := w.load(tiny())
		w.refuses(w.media(verb, m, w.arena(), verb.items...), abi.StatusUnsupported, -1)
		w.refuses(w.media(verb, m, 0, verb.items...), abi.StatusInvalidArgument, -1)
	}
	for _, lacking := range []struct {
		modalities []string
		served     map[string]bool
	}{
		{[]string{"text", "image"}, map[string]bool{"image_encode": true, "image_encode_pixels": true}},
		{[]string{"text", "video"}, map[string]bool{"video_encode": true}},
		{[]string{"text", "audio"}, map[string]bool{"audio_encode": true, "audio_encode_samples": true}},
	} {
		config := seeing()
		config.Modalities = lacking.modalities
		switch lacking.modalities[1] {
		case "image":
			config.Video, config.Audio = nil, nil
		case "video":
			config.Audio = nil
		case "audio":
			config.Image, config.Video = nil, nil
		}
		w := newWorld(t)
		m := w.load(config)
		for _, verb := range mediaVerbs(t) {
			e := w.media(verb, m, w.arena(), verb.items...)
			if lacking.served[verb.name] {
				w.encodes(e)
			} else {
				w.refuses(e, abi.StatusUnsupported, -1)
			}
		}
	}
}

// The first item that does not decode is named, for any number of bad items and threads.
func TestMalformedMedia(t *testing.T) {
	w := newWorld(t)
	m := w.load(seeing())
	for _, verb := range mediaVerbs(t) {
		if verb.name == "image_encode_pixels" || verb.name == "audio_encode_samples" {
			continue
		}
		good := verb.items[0]
		for name, bad := range map[string]string{
			"one byte": "x", "a text": "neither of them, whatever it is called", "cut short": good[:len(good)*2/3], "a prefix": good[:16],
		} {
			t.Run(verb.name+"/"+name, func(t *testing.T) {
				items := make([]string, 30)
				for _, i := range []int{13, 14, 17, 22, 29} {
					items[i] = bad
				}
				items[3] = good
				for _, executor := range []abi.Executor{0, w.executor(3, abi.CallerInclusive)} {
					for _, states := range []bool{true, false} {
						e := w.media(verb, m, w.arena(), items...)
						e.Executor = executor
						if !states {
							e.States = nil
						}
						w.refuses(e, abi.StatusMalformed, 13)
					}
				}
			})
		}
	}
}

func TestPixelsOfAnotherShape(t *testing.T) {
	w := newWorld(t)
	m, verb := w.load(seeing()), mediaVerbs(t)[1]
	for name, row := range map[string]struct {
		change func(e *media)
		status abi.Status
		item   int
	}{
		"a row more":     {func(e *media) { e.heights[2]++ }, abi.StatusShapeMismatch, 2},
		"too few":        {func(e *media) { e.widths[3]-- }, abi.StatusShapeMismatch, 3},
		"not empty":      {func(e *media) { e.heights[1], e.widths[1] = 1, 1 }, abi.StatusShapeMismatch, 1},
		"no sides":       {func(e *media) { e.heights[0] = 0 }, abi.StatusShapeMismatch, 0},
		"past 64 bits":   {func(e *media) { e.heights[1], e.widths[1] = 0xAAAAAAAB, 0x80000000 }, abi.StatusShapeMismatch, 1},
		"no heights":     {func(e *media) { e.heights = nil }, abi.StatusInvalidArgument, -1},
		"no widths":      {func(e *media) { e.widths = nil }, abi.StatusInvalidArgument, -1},
		"heights inside": {func(e *media) { e.heights = inArena(w, e, verb) }, abi.StatusInvalidArgument, -1},
		"widths inside":  {func(e *media) { e.widths = inArena(w, e, verb) }, abi.StatusInvalidArgument, -1},
	} {
		t.Run(name, func(t *testing.T) {
			e := w.media(verb, m, w.arena(), square(4), "", square(6), square(2))
			row.change(e)
			w.refuses(e, row.status, row.item)
		})
	}
	e := w.media(verb, m, w.arena(), "", "")
	e.widths[1], e.heights[0] = 9, math.MaxUint32
	w.encodes(e) // without bytes and with a zero side they are empty
}

// inArena returns numbers that lie in the arena that a call is about to rewind.
func inArena(w *world, e *media, verb *mediaVerb) []uint32 {
	filled := w.encodes(w.media(verb, e.Model, e.Arena, square(9), square(9), square(9), square(9)))
	return abi.Elements((*uint32)(filled.embeddings.Data), 4)
}

func TestSamplesThatAreNoNumbers(t *testing.T) {
	w := newWorld(t)
	m, verb := w.load(seeing()), mediaVerbs(t)[4]
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		e := w.media(verb, m, w.arena(), tone(50), "", tone(70), tone(20))
		data := abi.Elements((*float32)(e.Texts.Data), 1+50+70+20)
		// the first belongs to no item
		data[0], data[1+50+69], data[140] = float32(bad), float32(bad), float32(bad)
		w.refuses(e, abi.StatusMalformed, 2)
	}
	e := w.media(verb, m, w.arena(), tone(50))
	e.reserved = 1
	w.refuses(e, abi.StatusInvalidArgument, -1)
}

// A rate of zero means the model's, and any other is resampled.
func TestSampleRates(t *testing.T) {
	w := newWorld(t)
	m, verb := w.load(seeing()), mediaVerbs(t)[4]
	encode := func(rate uint32) ([]float32, []uintptr) {
		e := w.media(verb, m, w.arena(), verb.items...)
		e.rate = rate
		embeddings, _, rows := w.encodes(e).rowsOf()
		return embeddings, rows
	}
	embeddings, rows := encode(0)
	same, _ := encode(8000)
	require.Equal(t, bits(embeddings), bits(same))
	double, longer := encode(4000)
	require.NotEqual(t, bits(embeddings), bits(double))
	require.Equal(t, []uintptr{25, 25, 26, 27, 29, 125, 164}, rows[1:])
	require.Equal(t, []uintptr{50, 50, 51, 53, 56, 152, 230}, longer[1:])
	_, shorter := encode(800_000)
	require.Equal(t, []uintptr{1, 1, 2, 3, 4, 6, 7}, shorter[1:])
}

// A recording longer than the context keeps its head.
func TestLongRecordingsKeepTheirHeads(t *testing.T) {
	w := newWorld(t)
	m, verb := w.load(seeing()), mediaVerbs(t)[4]
	long := tone(96*320 + 100 + 1)
	for _, rate := range []uint32{0, 4000} {
		e := w.media(verb, m, w.arena(), long, long+tone(70000), tone(96*320/2))
		e.rate = rate
		embeddings, _, rows := w.encodes(e).rowsOf()
		require.EqualValues(t, 96, rows[1])
		require.EqualValues(t, 192, rows[2])
		require.Equal(t, bits(embeddings[:84]), bits(embeddings[84:168]))
	}
}

// Recordings that a prescan has no room to keep are decoded twice, with the same results.
func TestPrescansKeepWhatTheyHaveRoomFor(t *testing.T) {
	w := newWorld(t)
	m, verb := w.load(seeing()), mediaVerbs(t)[3]
	_, states, rows := w.encodes(w.media(verb, m, w.arena(), verb.items...)).rowsOf()
	for _, most := range []int64{0, int64(rows[3]) * 40, math.MaxInt64} {
		w.inside.KeepScalars(most)
		for _, executor := range []abi.Executor{0, w.executor(2, abi.CallerInclusive)} {
			e := w.media(verb, m, w.arena(), verb.items...)
			e.Executor = executor
			_, again, rowsAgain := w.encodes(e).rowsOf()
			require.Equal(t, bits(states), bits(again))
			require.Equal(t, rows, rowsAgain)
		}
	}
}

func TestMediaProgress(t *testing.T) {
	everyVerb(t, func(t *testing.T, w *world, m abi.Model, verb *mediaVerb) {
		total := uintptr(len(verb.items))
		for _, executor := range []abi.Executor{0, w.executor(2, abi.CallerExclusive)} {
			e := w.media(verb, m, w.arena(), verb.items...)
			e.Executor = executor
			l := w.listen(&e.encoding, nil)
			w.encodes(e)
			require.Equal(t, [2]uintptr{0, total}, l.reports[0])
			require.Equal(t, [2]uintptr{total, total}, l.reports[len(l.reports)-1])
			unchanged := 0
			for i, report := range l.reports[1:] {
				require.GreaterOrEqual(t, report[0], l.reports[i][0])
				if report == l.reports[i] {
					unchanged++
				}
			}
			require.Greater(t, unchanged, 2, "between items and layers")
		}
		// It may be stopped at any report but the last.
		e := w.media(verb, m, w.arena(), verb.items...)
		l := w.listen(&e.encoding, nil)
		w.encodes(e)
		for stop := 1; stop <= len(l.reports); stop++ {
			e := w.media(verb, m, w.arena(), verb.items...)
			again := w.listen(&e.encoding, func(n int, _, _ uintptr) bool { return n != stop })
			if stop == len(l.reports) {
				w.encodes(e)
			} else {
				w.refuses(e, abi.StatusCancelled, -1)
			}
			require.Len(t, again.reports, stop)
		}
	})
}

// A held call is run by a free of a handle that it names, and a call with an arena contends with
// others.
func TestMediaAreCallsLikeOthers(t *testing.T) {
	everyVerb(t, func(t *testing.T, w *world, m abi.Model, verb *mediaVerb) {
		arena, executor := w.arena(), w.inline()
		e := w.media(verb, m, arena, verb.items...)
		e.Executor, e.Completion = executor, abi.CompletionDeferring
		verb.call(w, e)
		require.Equal(t, abi.StatusDeferred, w.OutcomeStatus(&e.outcome))
		w.refuses(w.media(verb, m, arena, verb.items...), abi.StatusContended, -1)
		w.ModelFree(m)
		requireSuccess(t, &e.outcome)
		w.refuses(w.media(verb, m, arena, verb.items...), abi.StatusInvalidArgument, -1)
	})
}

func TestDescribeTellsTheMedia(t *testing.T) {
	w := newWorld(t)
	var description abi.ModelDescription
	var outcome abi.Outcome
	w.ModelDescribe(&abi.ModelDescribe{Model: w.load(seeing()), Description: &description, Outcome: &outcome})
	requireSuccess(t, &outcome)
	require.EqualValues(t, 8000, description.SampleRate)
	require.EqualValues(t, 1<<abi.ModalityText|1<<abi.ModalityImage|1<<abi.ModalityVideo|1<<abi.ModalityAudio, description.Modalities)
	parsed, err := model.Parse(checkpoint(t, seeing()), nil)
	require.NoError(t, err)
	require.Equal(t, parsed.Describe().Parameters, description.Parameters)
	require.Equal(t, parsed.Describe().WeightsBytes, description.WeightsBytes)
}

// Pixels cost no allocations once each thread has had the largest slice.
func TestPixelsAllocateNothing(t *testing.T) {
	w := newWorld(t)
	m, verb := w.load(seeing()), mediaVerbs(t)[1]
	for _, executor := range []abi.Executor{0, w.inline(), w.executor(2, abi.CallerInclusive)} {
		e := w.media(verb, m, w.arena(), verb.items...)
		arguments := &abi.ImageEncodePixels{
			Model: m, Executor: executor, Outcome: e.Outcome, Count: e.Count, Pixels: e.Texts, Arena: e.Arena,
			Heights: &e.heights[0], Widths: &e.widths[0], Embeddings: e.Embeddings, States: e.States,
		}
		encode := func() { w.ImageEncodePixels(arguments) }
		// On a busy machine the second thread may get its first slice late.
		allocated := testing.AllocsPerRun(20, encode)
		for attempt := 0; allocated > 0 && attempt < 20; attempt++ {
			allocated = testing.AllocsPerRun(20, encode)
		}
		require.Zero(t, allocated)
		requireSuccess(t, &e.outcome)
	}
}

// A codec that no build decodes is unsupported, and names the item.
func TestCodecsThatNobodyDecodes(t *testing.T) {
	w := newWorld(t)
	verb := mediaVerbs(t)[2]
	e := w.media(verb, w.load(seeing()), w.arena(), verb.items[0], "", sample(t, "video", "mpeg2.mp4"))
	w.refuses(e, abi.StatusUnsupported, 2)
}
