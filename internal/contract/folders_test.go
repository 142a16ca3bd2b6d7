package contract_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/folder/foldertest"
	"github.com/unum-cloud/uform-go/uform"
)

// noFolders are the reasons for what only a library that loads folders has.
var noFolders = reasons{native: "it loads no folders: F01", simulated: "it loads no folders: F01"}

// F01–F10: the models of others, in folders.
var folderFacts = []fact{
	{id: "F01", words: "a_folder_is_loaded_or_unsupported_with_the_reason_and_never_trained", table: folderIsLoaded, api: folderIsLoadedForTheUser},
	{id: "F02", words: "the_context_counts_the_tokens_of_the_tokenizer_and_each_has_a_state", table: tokensAreCounted, api: tokensAreCountedForTheUser, absent: noFolders},
	{id: "F03", words: "cut_counts_the_bytes_that_the_tokens_do_not_stand_for", table: bytesAreLost, api: bytesAreLostForTheUser, absent: noFolders},
	{id: "F04", words: "a_text_has_the_same_bits_alone_in_any_batch_and_on_any_threads", table: sameBits, absent: noFolders},
	{id: "F05", words: "a_prompt_has_a_name_and_an_unknown_one_lists_those_there_are", table: promptsAreNamed, api: promptsAreNamedForTheUser, absent: noFolders},
	{id: "F06", words: "texts_are_validated_before_anything_is_cut", table: textsOfFoldersAreValidated, absent: noFolders},
	{id: "F07", words: "closing_waits_and_progress_and_cancelling_are_as_ever", table: folderIsFreedWhenItsCallsAreFinal, api: folderIsCancelled, absent: noFolders},
	{id: "F08", words: "a_deferred_call_owns_its_texts_and_its_prompt", api: deferredTextsOfFolders, absent: noFolders},
	{id: "F09", words: "what_a_folder_does_not_have_is_unsupported", table: folderHasNoDecoder, api: folderHasNoDecoderForTheUser, absent: noFolders},
	{id: "F10", words: "i8_is_of_unit_rows_whatever_length_the_model_makes", table: bytesOfUnitRows, absent: noFolders},
}

// The folders that the facts are shown on: BERT with unit length, and without, ModernBERT with a
// tokenizer of another kind, and one without layers.
var folders = map[string]string{
	"normalized": "bert", "bare": "bert-no-modules", "bytes": "modernbert", "static": "model2vec", "prompted": "bert-prompts",
}

// harbour is longer than the context of all of them but the static one's.
var harbour = strings.Repeat("the boats came back from the sea, and the harbour was small. ", 12)

// sea are texts of every kind: empty, of many words, cut, of other scripts.
var sea = []string{"", "the sea", harbour, "Café", "日本語 世界", " ", "boats", "and " + harbour, "!"}

// folder is the path of a copy of one of the folders.
func folder(t *testing.T, name string) string {
	t.Helper()
	path, _ := foldertest.Copy(t, filepath.Join("..", "folder", "testdata"), folders[name])
	return path
}

// loadFolder loads one of the folders, and frees it when the test ends.
func (s *seam) loadFolder(name string) abi.Model {
	s.Helper()
	b := s.loading(folder(s.T, name))
	s.succeeded(&b.outcome)
	s.Cleanup(func() { s.table.ModelFree(b.model) })
	return b.model
}

type loading struct {
	abi.ModelLoad
	outcome abi.Outcome
	model   abi.Model
}

// loading loads what is at a path.
func (s *seam) loading(path string) *loading {
	b := &loading{model: 77}
	b.ModelLoad = abi.ModelLoad{Model: &b.model, Path: abi.CText(path), Outcome: plant(&b.outcome)}
	if s.onDevice {
		b.Executor = s.executor()
		s.table.ModelLoadVRAM(&b.ModelLoad)
	} else {
		s.table.ModelLoad(&b.ModelLoad)
	}
	return b
}

func folderIsLoaded(s *seam) {
	path := folder(s.T, "normalized")
	b := s.loading(path)
	if s.name == embedded {
		s.succeeded(&b.outcome)
		require.NotZero(s, b.model)
		details, found := s.table.ModelDetails(b.model)
		require.True(s, found)
		require.Equal(s, abi.ModelDetails{Architecture: "bert", Tokenizer: "WordPiece"}, details)
		s.table.ModelFree(b.model)
		_, found = s.table.ModelDetails(b.model)
		require.False(s, found)
		s.table.ModelLoadFS(&b.ModelLoad, os.DirFS(filepath.Dir(path)), filepath.Base(path))
		s.succeeded(&b.outcome)
		s.table.ModelFree(b.model)
	} else {
		s.failed(&b.outcome, abi.StatusUnsupported, -1)
		require.Contains(s, text(&b.outcome), "folder")
		require.Zero(s, b.model)
	}
	t := &struct {
		abi.TrainerInit
		outcome abi.Outcome
		trainer abi.Trainer
	}{trainer: 77}
	t.TrainerInit = abi.TrainerInit{Trainer: &t.trainer, Path: abi.CText(path), Executor: s.executor(), Outcome: plant(&t.outcome)}
	if s.onDevice {
		s.table.TrainerInitVRAM(&t.TrainerInit)
	} else {
		s.table.TrainerInit(&t.TrainerInit)
	}
	s.failed(&t.outcome, abi.StatusUnsupported, -1)
	require.Contains(s, text(&t.outcome), "folder")
	require.Zero(s, t.trainer)
}

func folderIsLoadedForTheUser(u *user) {
	path := folder(u.T, "prompted")
	for _, load := range []func() (*uform.Model, error){
		func() (*uform.Model, error) { return u.library.Load(background, path, nil) },
		func() (*uform.Model, error) { return u.library.LoadFS(background, os.DirFS(path), ".", nil) },
	} {
		model, err := load()
		if u.name != embedded {
			require.ErrorIs(u, err, uform.ErrUnsupported)
			require.ErrorContains(u, err, "Embedded")
			continue
		}
		require.NoError(u, err)
		described, err := model.Describe(background)
		require.NoError(u, err)
		require.Equal(u, "bert", described.Architecture)
		require.Equal(u, []string{"document", "query", "topic"}, described.Prompts)
		require.NoError(u, model.Close())
	}
	_, err := u.library.NewTrainer(background, path, u.executor(), nil)
	require.ErrorIs(u, err, uform.ErrUnsupported)
	require.ErrorContains(u, err, "distill")
}

// seatOf is a seat with one of the folders.
func (u *user) seatOf(name string) seat {
	u.Helper()
	executor := u.executor()
	model, err := u.library.Load(background, folder(u.T, name), &uform.LoadOptions{Executor: executor})
	require.NoError(u, err)
	u.Cleanup(func() { model.Close() })
	return seat{executor, model, u.arena(executor)}
}

// placeOf is a place with one of the folders.
func (s *seam) placeOf(name string) place {
	s.Helper()
	executor := s.executor()
	return place{executor, s.loadFolder(name), s.arena(executor)}
}

// measured returns how many tokens a text has, and how many of its bytes they stand for.
func (s *seam) measured(model abi.Model, content string, prompt abi.TextPrompt) (tokens, covered int) {
	s.Helper()
	b := &struct {
		abi.TextMeasure
		outcome abi.Outcome
	}{}
	b.TextMeasure = abi.TextMeasure{Model: model, Outcome: plant(&b.outcome), TextPrompt: prompt, Text: []byte(content)}
	s.table.TextMeasure(&b.TextMeasure)
	s.succeeded(&b.outcome)
	return b.Tokens, b.Covered
}

func tokensAreCounted(s *seam) {
	for name := range folders {
		p := s.placeOf(name)
		out := s.read(s.encode(p.encoding(sea...)))
		context := int(s.describeModel(p.model, p.executor, abi.CompletionBlocking).Context)
		for i, content := range sea {
			tokens, _ := s.measured(p.model, content, abi.TextPrompt{})
			require.Len(s, out.item(i), tokens, "%s: %q", name, content)
			require.LessOrEqual(s, tokens, context)
		}
	}
}

func tokensAreCountedForTheUser(u *user) {
	at := u.seatOf("normalized")
	out := u.read(u.encode(at, "", "the sea", harbour))
	require.Len(u, out.item(0), 2, "an empty text has the tokens around it")
	require.Greater(u, len(out.item(1)), 2)
	described, err := at.model.Describe(background)
	require.NoError(u, err)
	require.Len(u, out.item(2), described.Context)
	for i, content := range []string{"", "the sea"} {
		tokens, err := at.model.Tokens(content, nil)
		require.NoError(u, err)
		require.Len(u, out.item(i), tokens)
	}
	windows := 0
	for window, err := range at.model.Windows(harbour, nil) {
		require.NoError(u, err)
		tokens, err := at.model.Tokens(window, nil)
		require.NoError(u, err)
		require.LessOrEqual(u, tokens, described.Context)
		windows += tokens
	}
	tokens, err := at.model.Tokens(harbour, nil)
	require.NoError(u, err)
	require.Equal(u, windows, tokens)
	require.Greater(u, tokens, described.Context, "a long text is counted whole")
}

func bytesAreLost(s *seam) {
	for name := range folders {
		p := s.placeOf(name)
		e, extension := p.encoding(sea...), &abi.TextExtension{}
		s.table.TextEncodeWith(&e.TextEncode, extension)
		s.succeeded(&e.outcome)
		out := s.read(e)
		var cut []abi.TextCut
		for i, content := range sea {
			_, covered := s.measured(p.model, content, abi.TextPrompt{})
			if covered < len(content) {
				cut = append(cut, abi.TextCut{Item: i, Bytes: len(content) - covered})
			}
			kept := s.read(s.encode(p.encoding(content[:covered])))
			require.Equal(s, out.row(i), kept.row(0), "%s: the vector is that of what was kept of %q", name, content)
		}
		require.Equal(s, cut, extension.Cut, name)
		require.Equal(s, name == "static", len(cut) == 0, "a model without a context cuts nothing")
	}
}

func bytesAreLostForTheUser(u *user) {
	at := u.seatOf("bytes")
	encoded := u.encode(at, "the sea", harbour)
	require.Len(u, encoded.Cut, 1)
	require.Equal(u, 1, encoded.Cut[0].Item)
	kept := harbour[:len(harbour)-encoded.Cut[0].Bytes]
	head := u.read(encoded).row(1)
	again := u.encode(at, kept)
	require.Empty(u, again.Cut)
	require.Equal(u, head, u.read(again).row(0))
	_, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"", harbour}), at.arena, &uform.TextOptions{Whole: true})
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	var failure *uform.Error
	require.ErrorAs(u, err, &failure)
	require.Equal(u, 1, failure.Item)
	// Embed cuts nothing.
	var joined strings.Builder
	for window, err := range at.model.Windows(harbour, nil) {
		require.NoError(u, err)
		joined.WriteString(window)
	}
	require.Equal(u, harbour, joined.String())
}

func sameBits(s *seam) {
	for name := range folders {
		p := s.placeOf(name)
		var all []string
		for range 12 { // several slices, on each thread
			all = append(all, sea...)
		}
		want := s.read(s.encode(p.encoding(all...)))
		for i, content := range sea {
			alone := s.read(s.encode(p.encoding(content)))
			require.Equal(s, alone.row(0), want.row(i), "%s: %q", name, content)
			require.Equal(s, alone.item(0), want.item(i), "%s: %q", name, content)
		}
		for _, executor := range []abi.Executor{0, s.holder(), s.threads(2, abi.CallerInclusive), s.threads(3, abi.CallerExclusive)} {
			got := s.read(s.encode(place{executor, p.model, s.arena(executor)}.encoding(all...)))
			require.Equal(s, want.embeddings, got.embeddings, name)
			require.Equal(s, want.states, got.states, name)
			require.Equal(s, want.offsets, got.offsets, name)
		}
	}
}

func promptsAreNamed(s *seam) {
	p, plain := s.placeOf("prompted"), s.placeOf("normalized")
	embed := func(p place, content string, prompt abi.TextPrompt) []float32 {
		e := p.encoding(content)
		s.table.TextEncodeWith(&e.TextEncode, &abi.TextExtension{TextPrompt: prompt})
		s.succeeded(&e.outcome)
		return s.read(e).row(0)
	}
	require.Equal(s, embed(plain, "search_query: boats", abi.TextPrompt{}), embed(p, "boats", abi.TextPrompt{Prompt: "query"}))
	require.Equal(s, embed(plain, "search_document: boats", abi.TextPrompt{}), embed(p, "boats", abi.TextPrompt{}), "the default")
	require.Equal(s, s.read(s.encode(p.encoding("boats"))).row(0), embed(p, "boats", abi.TextPrompt{}))
	require.Equal(s, embed(plain, "boats", abi.TextPrompt{}), embed(p, "boats", abi.TextPrompt{NoPrompt: true}))
	for _, wrong := range []abi.TextPrompt{{Prompt: "passage"}, {Prompt: "query", NoPrompt: true}} {
		e := p.encoding("boats")
		s.table.TextEncodeWith(&e.TextEncode, &abi.TextExtension{TextPrompt: wrong})
		s.failed(&e.outcome, abi.StatusInvalidArgument, -1)
	}
}

func promptsAreNamedForTheUser(u *user) {
	at := u.seatOf("prompted")
	_, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"boats"}), at.arena, &uform.TextOptions{Prompt: "passage"})
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	require.ErrorContains(u, err, "document, query, topic")
	at = u.seatOf("normalized")
	_, err = at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"boats"}), at.arena, &uform.TextOptions{Prompt: "query"})
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	require.ErrorContains(u, err, "no prompts")
}

func textsOfFoldersAreValidated(s *seam) {
	p := s.placeOf("normalized")
	for _, bad := range []string{"\xff", harbour + "\xe2\x82", "a\xed\xa0\x80"} {
		e := p.encoding("boats", harbour, bad, "sea")
		s.table.TextEncode(&e.TextEncode)
		s.failed(&e.outcome, abi.StatusMalformed, 2)
	}
	s.encode(p.encoding("boats"))
}

func folderIsFreedWhenItsCallsAreFinal(s *seam) {
	b := s.loading(folder(s.T, "normalized"))
	s.succeeded(&b.outcome)
	executor := s.executor()
	p := place{executor, b.model, s.arena(executor)}
	want := s.read(s.encode(p.encoding(sea...)))
	e := p.encoding(sea...).deferring()
	g := s.gate(&e.Progress, &e.ProgressState)
	s.table.TextEncode(&e.TextEncode)
	comes(s.T, g.entered)
	freed := make(chan struct{})
	go func() {
		defer close(freed)
		s.table.ModelFree(b.model)
	}()
	stays(s.T, freed)
	g.Open()
	comes(s.T, freed)
	require.Equal(s, want, s.read(s.wait(e)))
}

func folderIsCancelled(u *user) {
	at := u.seatOf("normalized")
	var texts []string
	for range 100 {
		texts = append(texts, sea...)
	}
	var heard [][2]int
	_, err := at.model.On(at.executor).TextEncode(background, uform.Strings(texts), at.arena, u.both(func(finished, total int) error {
		heard = append(heard, [2]int{finished, total})
		return nil
	}))
	require.NoError(u, err)
	require.Equal(u, [2]int{0, len(texts)}, heard[0])
	require.Equal(u, [2]int{len(texts), len(texts)}, heard[len(heard)-1])
	for stop := range 4 {
		ctx, cancel := context.WithCancel(background)
		asked := 0
		_, err = at.model.On(at.executor).TextEncode(ctx, uform.Strings(texts), at.arena, u.both(func(int, int) error {
			if asked++; asked > stop {
				cancel()
			}
			return nil
		}))
		require.ErrorIs(u, err, uform.ErrCancelled)
		require.ErrorIs(u, err, context.Canceled)
		cancel()
	}
	u.encode(at, sea...)
}

func deferredTextsOfFolders(u *user) {
	at := u.seatOf("prompted")
	want, err := at.model.EmbedWith(background, []string{"boats", "sea"}, &uform.EmbedOptions{Prompt: "query"})
	require.NoError(u, err)
	g, handler := u.gate()
	texts := uform.Strings([]string{"boats", "sea", harbour})
	options := u.both(handler)
	options.Prompt = "query"
	call, err := at.model.Deferred(at.executor).TextEncode(background, texts, at.arena, options)
	require.NoError(u, err)
	comes(u.T, g.entered)
	clear(texts.Data)
	options.Prompt = "none"
	g.Open()
	encoded := u.wait(call)
	require.Len(u, encoded.Cut, 1)
	require.Equal(u, want, [][]float32{u.read(encoded).row(0), u.read(encoded).row(1)})
}

func folderHasNoDecoder(s *seam) {
	p := s.placeOf("normalized")
	c := p.choosing([]string{"boats"}, []string{"ab"})
	s.table.TextChoose(&c.TextChoose)
	s.failed(&c.outcome, abi.StatusUnsupported, -1)
}

func folderHasNoDecoderForTheUser(u *user) {
	at := u.seatOf("normalized")
	_, choosing := at.model.TextChoose(background, uform.Strings([]string{"a"}), uform.Strings([]string{"ab"}), at.arena, nil)
	_, videos := at.model.VideoEncode(background, uform.Tape{}, at.arena, nil)
	_, recordings := at.model.AudioEncode(background, uform.Tape{}, at.arena, nil)
	_, samples := at.model.AudioEncodeSamples(background, uform.Samples{}, at.arena, nil)
	_, images := at.model.ImageEncode(background, uform.Tape{}, at.arena, nil)
	for _, err := range []error{choosing, videos, recordings, samples, images} {
		require.ErrorIs(u, err, uform.ErrUnsupported)
	}
}

func bytesOfUnitRows(s *seam) {
	for name := range folders {
		p := s.placeOf(name)
		full := s.read(s.encode(p.encoding("the boats came back"))).row(0)
		e := p.encoding("the boats came back")
		e.Scalar, e.States = abi.ScalarI8, nil
		s.table.TextEncode(&e.TextEncode)
		s.succeeded(&e.outcome)
		row := abi.Elements((*int8)(e.embeddings.Data), e.embeddings.Columns)
		length := 0.0
		for _, value := range full {
			length += float64(value) * float64(value)
		}
		for i, value := range full {
			require.InDelta(s, 127*float64(value), float64(row[i])*math.Sqrt(length), 0.6*max(1, math.Sqrt(length)), name)
		}
	}
}
