package contract_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// D01, D02, D04, D08–D11, D14: our decisions about calls that succeed.
var decisionFacts = []fact{
	{id: "D01", words: "a_count_of_zero_succeeds_with_zero_rows_and_rewinds", table: noItems, api: noItemsOfTheUser},
	{id: "D02", words: "an_item_of_zero_bytes_has_no_states_and_the_models_own_vector", table: noBytes, api: noBytesOfTheUser},
	{id: "D04", words: "text_encode_keeps_the_head_and_the_binding_tells_what_was_cut", table: keepsTheHead, api: tellsWhatWasCut},
	{id: "D08", words: "scratch_on_the_calling_thread_belongs_to_the_model", table: manyCallingThreads, api: manyGoroutines,
		absent: reasons{simulated: "calls without an executor never use the device"}},
	{id: "D09", words: "deferred_verbs_copy_their_inputs_and_blocking_ones_read_in_place", api: func(u *user) { copiesOrReadsInPlace(u); copiesOnce(u) }},
	{id: "D10", words: "freeing_a_handle_waits_for_the_calls_that_name_it", table: freesWait, api: func(u *user) { closesWait(u); closingATrainerWaits(u) }},
	{id: "D11", words: "a_refused_call_changes_nothing", table: refusalsChangeNothing, api: refusalsChangeNothingForTheUser},
	{id: "D14", words: "a_vector_in_a_batch_equals_the_same_item_alone", table: batches},
}

func noItems(s *seam) {
	p := s.place(full())
	first := s.encode(p.encoding("what the next call rewinds"))
	times, bytes := s.growth(p.arena)
	for _, executor := range s.executors(p) {
		e := p.on(executor).encoding()
		out := s.read(s.encode(e))
		require.Equal(s, []int{0}, out.offsets)
		require.Empty(s, out.embeddings)
		require.EqualValues(s, full().config.EmbeddingColumns(), e.embeddings.Columns)
		require.Empty(s, s.choose(p.on(executor).choosing(nil, nil)))
		e.Texts = abi.TapeView{} // both may be NULL
		s.encode(e)
	}
	timesNow, bytesNow := s.growth(p.arena)
	require.Equal(s, []int{times, bytes}, []int{timesNow, bytesNow})
	if s.poisons {
		// A call of no items writes nothing as far as the last scalars.
		memory := s.bytes(uintptr(first.embeddings.Data), first.embeddings.Stride)
		require.Equal(s, strings.Repeat("\xFF", 64), string(memory[len(memory)-64:]))
	}
	deferred := p.encoding().deferring()
	s.table.TextEncode(&deferred.TextEncode)
	require.Equal(s, []int{0}, s.read(s.wait(deferred)).offsets)
}

func noItemsOfTheUser(u *user) {
	at := u.seat(full())
	first := u.encode(at, "what the next call rewinds")
	for _, texts := range []uform.Tape{{}, {Offsets: []int64{0}}, {Data: []byte("unused"), Offsets: []int64{3}}, uform.Strings(nil)} {
		encoded, err := at.model.On(at.executor).TextEncode(background, texts, at.arena, both)
		require.NoError(u, err)
		require.Zero(u, encoded.Embeddings.Len())
		require.Zero(u, encoded.States.Len())
		if !u.onDevice {
			require.ErrorIs(u, first.Embeddings.Err(), uform.ErrInvalidArgument)
			rows, err := encoded.Embeddings.Copy()
			require.NoError(u, err)
			require.Empty(u, rows)
			states, err := encoded.States.Copy()
			require.NoError(u, err)
			require.Empty(u, states)
		}
		chosen, err := at.model.On(at.executor).TextChoose(background, texts, uform.Tape{}, at.arena, nil)
		require.NoError(u, err)
		require.Zero(u, chosen.Probabilities.Len())
	}
}

func noBytes(s *seam) {
	for _, made := range checkpoints {
		p := s.place(made())
		var empty []float32
		var length float64
		for _, v := range made().reference.vector("empty") {
			empty = append(empty, float32(v))
			length += v * v
		}
		require.InDelta(s, 1, length, 1e-3)
		for _, texts := range [][]string{{""}, {"", "", ""}, {"a", "", "b"}} {
			out := s.read(s.encode(p.encoding(texts...)))
			for i, text := range texts {
				if text == "" {
					require.Equal(s, empty, out.row(i), "the vector that the checkpoint stores")
					require.Empty(s, out.item(i))
				}
			}
		}
	}
}

func noBytesOfTheUser(u *user) {
	at := u.seat(full())
	out := u.read(u.encode(at, "a", "", "b"))
	near(u.T, full().reference.vector("empty"), out.row(1), 0, "embedding of nothing")
	require.Empty(u, out.item(1))
}

func keepsTheHead(s *seam) {
	p := s.place(full())
	context := full().config.Context
	head := strings.Repeat("0123456789", 4)[:context]
	out := s.read(s.encode(p.encoding(head, head+"!", head+strings.Repeat("é", 100))))
	for i := range 3 {
		require.Len(s, out.item(i), context)
		near(s.T, out.row(0), out.row(i), 1e-6, "embedding")
	}
	// The cut may fall inside a character.
	split := head[:context-1] + "é"
	full().encodesLike(s.T, []string{split}, s.read(s.encode(p.encoding(split))))
}

func tellsWhatWasCut(u *user) {
	at := u.seat(full())
	context := full().config.Context
	texts := []string{"short", strings.Repeat("x", context), strings.Repeat("x", context+1), "", strings.Repeat("é", context)}
	encoded := u.encode(at, texts...)
	require.Equal(u, []uform.Cut{{Item: 2, Bytes: 1}, {Item: 4, Bytes: context}}, encoded.Cut)
	full().encodesLike(u.T, texts, u.read(encoded))
	require.Empty(u, u.encode(at, texts[:2]...).Cut)

	whole := &uform.TextOptions{Whole: true}
	on := at.model.On(at.executor)
	_, err := on.TextEncode(background, uform.Strings(texts[:2]), at.arena, whole)
	require.NoError(u, err)
	_, err = on.TextEncode(background, uform.Strings(texts), at.arena, whole)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	var failure *uform.Error
	require.ErrorAs(u, err, &failure)
	require.Equal(u, 2, failure.Item)
	_, err = at.model.Deferred(at.executor).TextEncode(background, uform.Strings(texts), at.arena, whole)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	call, err := at.model.Deferred(at.executor).TextEncode(background, uform.Strings(texts), at.arena, nil)
	require.NoError(u, err)
	require.Len(u, u.wait(call).Cut, 2)
}

func manyCallingThreads(s *seam) {
	model := s.load(0, full())
	const threads = 8
	var calls [threads]*encoding
	var group sync.WaitGroup
	for i := range calls {
		p := place{0, model, s.arena(0)}
		calls[i] = p.encoding(samples[i:]...)
		group.Go(func() {
			for range 5 {
				s.table.TextEncode(&calls[i].TextEncode)
			}
		})
	}
	group.Wait()
	for i, e := range calls {
		s.succeeded(&e.outcome)
		full().encodesLike(s.T, samples[i:], s.read(e))
	}
}

func manyGoroutines(u *user) {
	model := u.load(nil, full())
	var group sync.WaitGroup
	answers := make([][][]float32, 8)
	failures := make([]error, len(answers))
	for i := range answers {
		group.Go(func() { answers[i], failures[i] = model.Embed(background, samples[i:]) })
	}
	group.Wait()
	for i, rows := range answers {
		require.NoError(u, failures[i])
		for j, row := range rows {
			embedding, _ := full().reference.encode(samples[i+j])
			if len(samples[i+j]) > full().config.Context {
				embedding = meanOfWindows(samples[i+j])
			}
			near(u.T, embedding, row, 1e-4, "embedding")
		}
	}
}

// meanOfWindows is the result of Embed for a text that is not only white space.
func meanOfWindows(text string) []float64 {
	var sum []float64
	for window := range uform.Windows(text, full().config.Context) {
		if strings.TrimSpace(window) == "" {
			continue
		}
		embedding, _ := full().reference.encode(window)
		sum = append(sum, make([]float64, len(embedding)-len(sum))...)
		for i, value := range embedding {
			sum[i] += value * float64(len(window))
		}
	}
	squares := 0.0
	for _, value := range sum {
		squares += value * value
	}
	for i := range sum {
		sum[i] /= math.Sqrt(squares)
	}
	return sum
}

func copiesOrReadsInPlace(u *user) {
	at := u.seat(full())
	changing := func() (uform.Tape, *uform.TextOptions) {
		tape := uform.Strings([]string{"as it was"})
		return tape, u.both(func(finished, _ int) error {
			if finished == 0 {
				copy(tape.Data, "as it is.")
			}
			return nil
		})
	}
	// Nothing is read before the first report, so a change made there shows what is read.
	tape, options := changing()
	encoded, err := at.model.On(at.executor).TextEncode(background, tape, at.arena, options)
	require.NoError(u, err)
	full().encodesLike(u.T, []string{"as it is."}, u.read(encoded))
	tape, options = changing()
	call, err := at.model.Deferred(at.executor).TextEncode(background, tape, at.arena, options)
	require.NoError(u, err)
	full().encodesLike(u.T, []string{"as it was"}, u.read(u.wait(call)))
	if !u.onDevice {
		tape, options = changing()
		encoded, err = at.model.TextEncode(background, tape, at.arena, options)
		require.NoError(u, err)
		full().encodesLike(u.T, []string{"as it is."}, u.read(encoded))
	}
}

func batches(s *seam) {
	p := s.place(full())
	random := rand.New(rand.NewPCG(3, 9))
	texts := make([]string, 64)
	for i := range texts {
		var text strings.Builder
		length := random.IntN(12)
		if i%9 == 8 {
			length = 40
		}
		for range length {
			text.WriteRune([]rune("abc DEF\té狐🦊.")[random.IntN(12)])
		}
		texts[i] = text.String()
	}
	alone := make([]encoded, len(texts))
	for i, text := range texts {
		alone[i] = s.read(s.encode(p.encoding(text)))
	}
	full().encodesLike(s.T, texts[5:6], alone[5])
	const tolerance = 1e-5
	executors := s.executors(p)
	for count := 1; count <= len(texts); count++ {
		order := random.Perm(len(texts))[:count]
		var batch []string
		for _, i := range order {
			batch = append(batch, texts[i])
		}
		out := s.read(s.encode(p.on(executors[count%len(executors)]).encoding(batch...)))
		for place, i := range order {
			near(s.T, alone[i].row(0), out.row(place), tolerance, "item %d of %d", place, count)
			states := out.item(place)
			require.Len(s, states, len(alone[i].item(0)))
			for j, state := range alone[i].item(0) {
				near(s.T, state, states[j], tolerance, "state %d of item %d of %d", j, place, count)
			}
		}
	}
}
