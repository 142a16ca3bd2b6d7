package contract_test

import (
	"testing"

	"math"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// V01–V15: verbs.
var verbFacts = []fact{
	{id: "V01", words: "text_encode_has_a_token_for_each_byte", table: textEncode, api: textEncodeOfTheUser},
	{id: "V02", words: "text_choose_scores_the_bytes_that_may_follow", table: textChoose, api: textChooseOfTheUser},
	{id: "V03", words: "probabilities_are_a_softmax_over_the_items_choices", table: softmaxOverChoices},
	{id: "V04", words: "the_question_type_selects_the_inverse_temperature", table: temperatures, api: temperaturesOfTheUser},
	{id: "V05", words: "text_choose_keeps_the_end_of_a_long_text", table: keepsTheEnd},
	{id: "V06", words: "a_model_without_the_byte_decoder_is_unsupported", table: noDecoder, api: noDecoderOfTheUser},
	{id: "V07", words: "image_encode_reads_jpeg_png_and_webp", table: imagesOnTheTable, api: imageFiles},
	{id: "V08", words: "image_encode_pixels_checks_shapes", table: pixelsOnTheTable, api: pixelShapes},
	{id: "V09", words: "video_encode_reads_mp4_and_webm", table: videosOnTheTable, api: videoFiles},
	{id: "V10", words: "audio_encode_reads_wav_flac_mp3_and_opus", table: recordingsOnTheTable, api: audioFiles},
	{id: "V11", words: "audio_encode_samples_resamples", table: samplesOnTheTable, api: sampleRates},
	{id: "V12", words: "model_describe_tells_geometry_and_placement", table: modelDescribe, api: modelDescribeOfTheUser},
	{id: "V13", words: "trainer_step_is_one_step_of_the_run", table: func(s *seam) { stepsLearn(s); processesLearn(s) },
		api: func(u *user) { stepsLearnOfTheUser(u); processesLearnForTheUser(u) }},
	{id: "V14", words: "trainer_step_answers_embeddings_where_an_arena_is_named", table: stepsAnswerEmbeddings, api: stepsAnswerEmbeddingsOfTheUser},
	{id: "V15", words: "trainer_save_is_served_and_resumed", table: func(s *seam) { savesAreServedAndResumed(s); oneProcessSaves(s) },
		api: func(u *user) { savesAreServedAndResumedOfTheUser(u); oneProcessSavesForTheUser(u) }},
}

// checkpoints are those that the reference is compared on.
var checkpoints = map[string]func() *checkpoint{
	"full": full, "half": half, "packed": packed, "flat": flat, "plain": plain, "long": long,
}

func textEncode(s *seam) {
	for name, made := range checkpoints {
		s.Log(name)
		p := s.place(made())
		made().encodesLike(s.T, samples, s.read(s.encode(p.encoding(samples...))))
	}
	foldedLike(s.T, s.read(s.encode(s.place(folding()).encoding(unfolded...))))
}

// Texts that a folding model replaces by others, written by hand: the folded text, and for each
// byte of the text the index of its byte there.
var (
	unfolded = []string{"  A \u00A0CAT", "e\u0301tE\u0301", "go...... on", "\u3000\n"}
	readAs   = []string{"a cat", "été", "go on", ""}
	wentTo   = [][]int{{0, 0, 0, 1, 1, 1, 2, 3, 4}, {0, 1, 1, 2, 3, 4, 4}, {0, 1, 2, 2, 2, 2, 2, 2, 2, 3, 4}, nil}
)

// foldedLike requires that the outputs of the unfolded texts equal those of the folded texts in a
// model without folding, with a state for each byte of the unfolded text.
func foldedLike(t *testing.T, out encoded) {
	t.Helper()
	for i, text := range unfolded {
		embedding, states := full().reference.encode(readAs[i])
		near(t, embedding, out.row(i), 1e-4, "embedding of %q", text)
		got := out.item(i)
		require.Len(t, got, len(text), "states of %q", text)
		for j, state := range got {
			want := make([]float64, len(state))
			if len(states) > 0 {
				want = states[wentTo[i][j]]
			}
			near(t, want, state, 1e-4, "state %d of %q", j, text)
		}
	}
}

func textEncodeOfTheUser(u *user) {
	for _, made := range checkpoints {
		at := u.seat(made())
		made().encodesLike(u.T, samples, u.read(u.encode(at, samples...)))
	}
	foldedLike(u.T, u.read(u.encode(u.seat(folding()), unfolded...)))
}

// question is an item of text_choose.
type question struct {
	text, choices string
	kind          uint32
}

var questions = []question{
	{"to be or not to b", "aeiou", 0},
	{"", "yn", 1},
	{"a text of exactly thirty-two byt", "\x00\xFF\x80e ", 2},
	{"a text that is longer than the context, whose head is of no use", "?!", 1},
	{"only one", "!", 2},
	{"naïve caf\u00e9", "abcdefghijklmnopqrstuvwxyz", 0},
}

// split returns the questions as a call takes them.
func split(questions []question) (texts, choices []string, types []uint32) {
	for _, q := range questions {
		texts, choices, types = append(texts, q.text), append(choices, q.choices), append(types, q.kind)
	}
	return texts, choices, types
}

func (c *checkpoint) choosesLike(s interface {
	require.TestingT
	Helper()
}, questions []question, probabilities [][]float32) {
	s.Helper()
	require.Len(s, probabilities, len(questions))
	for i, q := range questions {
		want := c.reference.choose(q.text, q.choices, q.kind)
		require.Len(s, probabilities[i], len(want), "%q", q.text)
		for j := range want {
			require.InDelta(s, want[j], probabilities[i][j], 1e-5, "choice %d of %q", j, q.text)
		}
	}
}

func textChoose(s *seam) {
	for _, made := range []func() *checkpoint{full, half, packed, long} {
		p := s.place(made())
		texts, choices, types := split(questions)
		probabilities := s.choose(p.choosing(texts, choices, types...))
		made().choosesLike(s, questions, probabilities)
	}
}

func textChooseOfTheUser(u *user) {
	at := u.seat(full())
	texts, choices, types := split(questions)
	options := &uform.ChooseOptions{QuestionTypes: types}
	chosen, err := at.model.On(at.executor).TextChoose(background, uform.Strings(texts), uform.Strings(choices), at.arena, options)
	require.NoError(u, err)
	require.Equal(u, len(questions), chosen.Probabilities.Len())
	all := u.floats(chosen.Probabilities.Rows())
	var items [][]float32
	for _, q := range questions {
		items = append(items, all[:len(q.choices)])
		all = all[len(q.choices):]
	}
	full().choosesLike(u, questions, items)
}

func softmaxOverChoices(s *seam) {
	p := s.place(full())
	text := []string{"to be or not to b"}
	sums := func(probabilities []float32) {
		s.Helper()
		var sum float64
		for _, v := range probabilities {
			require.GreaterOrEqual(s, v, float32(0))
			sum += float64(v)
		}
		require.InDelta(s, 1, sum, 1e-5)
	}
	all := s.choose(p.choosing(text, []string{"aeiou"}))[0]
	sums(all)
	// In the order of the choices, for any order.
	reversed := s.choose(p.choosing(text, []string{"uoiea"}))[0]
	slices.Reverse(reversed)
	near(s.T, all, reversed, 1e-6, "probabilities")
	// Over the choices alone: for fewer choices the probabilities differ only by a factor.
	some := s.choose(p.choosing(text, []string{"ai"}))[0]
	sums(some)
	require.InDelta(s, float64(all[0])/float64(all[2]), float64(some[0])/float64(some[1]), 1e-4)
	// Over that item's choices alone: its neighbours change nothing.
	batch := s.choose(p.choosing([]string{"before", text[0], "after"}, []string{"xyz", "aeiou", "q"}))
	near(s.T, all, batch[1], 1e-6, "probabilities")
	require.Equal(s, []float32{1}, batch[2], "one choice is certain")
}

func temperatures(s *seam) {
	p := s.place(full())
	types := full().config.Decoder.QuestionTypes
	logits := make([]float64, len(types))
	for kind := range types {
		answer := s.choose(p.choosing([]string{"to be or not to b"}, []string{"ae"}, uint32(kind)))[0]
		logits[kind] = math.Log(float64(answer[0]) / float64(answer[1]))
	}
	for kind, question := range types {
		require.InDelta(s, logits[0]*question.InverseTemperature, logits[kind], 1e-4, question.Name)
	}
	plainly := s.choose(p.choosing([]string{"to be or not to b"}, []string{"ae"}))[0]
	require.InDelta(s, logits[0], math.Log(float64(plainly[0])/float64(plainly[1])), 1e-6, "no types are type zero")

	s.refusedChoice(p.choosing([]string{"x", "y"}, []string{"ab", "cd"}, 2, 3), abi.StatusInvalidArgument, 1)
}

func temperaturesOfTheUser(u *user) {
	at := u.seat(full())
	texts, choices := uform.Strings([]string{"x", "y"}), uform.Strings([]string{"ab", "cd"})
	on := at.model.On(at.executor)
	_, err := on.TextChoose(background, texts, choices, at.arena, &uform.ChooseOptions{QuestionTypes: []uint32{2, 3}})
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	var failure *uform.Error
	require.ErrorAs(u, err, &failure)
	require.Equal(u, 1, failure.Item)
	_, err = on.TextChoose(background, texts, choices, at.arena, &uform.ChooseOptions{QuestionTypes: []uint32{2}})
	require.ErrorIs(u, err, uform.ErrInvalidArgument, "a type is missing")
}

func keepsTheEnd(s *seam) {
	p := s.place(full())
	end := "the thirty-two bytes that remain"
	require.Len(s, end, full().config.Context)
	choices := []string{"abc", "abc", "abc"}
	got := s.choose(p.choosing([]string{end, "a head that is lost " + end, strings.Repeat("é", 50) + end}, choices))
	near(s.T, got[0], got[1], 1e-6, "probabilities")
	near(s.T, got[0], got[2], 1e-6, "probabilities")
	other := s.choose(p.choosing([]string{end + "!"}, choices[:1]))
	require.NotEqual(s, got[0], other[0], "the end counts")
}

func noDecoder(s *seam) {
	p := s.place(plain())
	s.refusedChoice(p.choosing([]string{"x"}, []string{"ab"}), abi.StatusUnsupported, -1)
	c := p.choosing([]string{"x"}, []string{"ab"})
	c.Completion = abi.CompletionDeferring
	s.refusedChoice(c, abi.StatusUnsupported, -1)
	require.Zero(s, s.describeModel(p.model, p.executor, abi.CompletionBlocking).ByteDecoder)
}

func noDecoderOfTheUser(u *user) {
	at := u.seat(plain())
	texts, choices := uform.Strings([]string{"x"}), uform.Strings([]string{"ab"})
	_, err := at.model.On(at.executor).TextChoose(background, texts, choices, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrUnsupported)
	_, err = at.model.Deferred(at.executor).TextChoose(background, texts, choices, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrUnsupported)
}

// report writes a number into a field of a report, with the width that the header gives it.
func report[T uint32 | uint64](field *T, value int) { *field = T(value) }

func modelDescribe(s *seam) {
	for name, made := range checkpoints {
		c := made().config
		p := s.place(made())
		want := abi.ModelDescription{
			Modalities: 1 << abi.ModalityText,
			Scalar:     abi.ScalarF32, Residency: abi.ResidencyRAM, Device: -1,
		}
		report(&want.Parameters, made().reference.parameters)
		report(&want.EmbeddingColumns, c.EmbeddingColumns())
		report(&want.StateColumns, c.Width)
		report(&want.Context, c.Context)
		report(&want.Layers, c.Layers)
		report(&want.Heads, c.Heads)
		if c.Decoder != nil {
			want.ByteDecoder = 1
			report(&want.QuestionTypes, len(c.Decoder.QuestionTypes))
		}
		if name == "half" {
			want.Scalar = abi.ScalarBF16
		}
		if s.onDevice {
			want.Residency, want.Device = abi.ResidencyVRAM, 0
		}
		blocking := s.describeModel(p.model, p.executor, abi.CompletionBlocking)
		require.NotZero(s, blocking.WeightsBytes)
		want.WeightsBytes = blocking.WeightsBytes
		require.Equal(s, want, blocking, name)
		require.Equal(s, want, s.describeModel(p.model, p.executor, abi.CompletionDeferring), name)
		if !s.onDevice {
			require.Equal(s, want, s.describeModel(p.model, 0, abi.CompletionBlocking), name)
		}
	}
}

func modelDescribeOfTheUser(u *user) {
	at := u.seat(full())
	c := full().config
	want, err := at.model.On(at.executor).Describe(background)
	require.NoError(u, err)
	require.Equal(u, []int{c.EmbeddingColumns(), c.Width, c.Context, c.Layers, c.Heads, 3}, []int{
		want.EmbeddingColumns, want.StateColumns, want.Context, want.Layers, want.Heads, want.QuestionTypes,
	})
	require.True(u, want.ByteDecoder)
	require.Equal(u, []uform.Modality{uform.Text}, want.Modalities)
	require.Equal(u, u.onDevice, want.Residency == uform.VRAM)
	call, err := at.model.Deferred(at.executor).Describe(background)
	require.NoError(u, err)
	comes(u.T, call.Done())
	got, err := call.Wait(background)
	require.NoError(u, err)
	require.Equal(u, want, got)
	got, err = at.model.Describe(background)
	if u.onDevice && err != nil {
		require.ErrorIs(u, err, uform.ErrDevice)
		return
	}
	require.NoError(u, err)
	require.Equal(u, want, got)
}
