package engine_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/hooks"
)

func TestFoldersAreMappedUntilTheirModelIsFreed(t *testing.T) {
	w := newToyWorld(t)
	var heard [][2]uintptr
	state := abi.HoldProgress(func(finished, total uintptr) bool {
		heard = append(heard, [2]uintptr{finished, total})
		return true
	})
	t.Cleanup(func() { abi.ReleaseProgress(state) })
	var id abi.Model
	var outcome abi.Outcome
	arguments := &abi.ModelLoad{
		Model: &id, Outcome: &outcome, Path: text(toyFolder(t)), Progress: w.ProgressCallback, ProgressState: state,
	}
	w.ModelLoad(arguments)
	requireSuccess(t, &outcome)
	require.Equal(t, [][2]uintptr{{0, 2}, {1, 2}, {2, 2}}, heard)
	mapped := w.inside.Mapped(id)
	require.Len(t, mapped, 1)
	require.Equal(t, []byte{3}, mapped[0].Bytes())
	w.ModelFree(id)
	require.Empty(t, mapped[0].Bytes())
	_, found := w.ModelDetails(id)
	require.False(t, found)

	stopping := abi.HoldProgress(func(uintptr, uintptr) bool { return false })
	t.Cleanup(func() { abi.ReleaseProgress(stopping) })
	arguments.ProgressState = stopping
	w.ModelLoad(arguments)
	requireFailure(t, &outcome, abi.StatusCancelled, -1)
}

func TestFoldersOfFileSystems(t *testing.T) {
	w := newToyWorld(t)
	var id abi.Model
	var outcome abi.Outcome
	arguments := &abi.ModelLoad{Model: &id, Outcome: &outcome}
	w.ModelLoadFS(arguments, fstest.MapFS{"a/config.json": {Data: []byte("toy")}, "a/weights.bin": {Data: []byte{3}}}, "a")
	requireSuccess(t, &outcome)
	require.Empty(t, w.inside.Mapped(id))
	details, found := w.ModelDetails(id)
	require.True(t, found)
	require.Equal(t, "toy", details.Architecture)
	w.ModelFree(id)

	w.ModelLoadFS(arguments, nil, ".")
	requireFailure(t, &outcome, abi.StatusInvalidArgument, -1)
	require.Zero(t, id)
	w.ModelLoadFS(nil, nil, ".")
}

// What a folder may do without is not absent where a link has its name: half a copy of a cache
// would be another model.
func TestLinksToAbsentFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	w := newToyWorld(t)
	path := toyFolder(t)
	require.NoError(t, os.Symlink(filepath.Join("blobs", "absent"), filepath.Join(path, "modules.json")))
	asked := 0
	w.inside.OpenFolders(func(source folder.Source, _ *folder.Options) (engine.FolderModel, error) {
		asked++
		_, opening := source.Open("modules.json")
		_, mapping := source.Map("modules.json")
		for _, err := range []error{opening, mapping} {
			require.ErrorContains(t, err, "modules.json: a link to a file that is absent")
			require.NotErrorIs(t, err, fs.ErrNotExist)
		}
		_, err := source.Open("absent.json")
		require.ErrorIs(t, err, fs.ErrNotExist)
		return nil, errors.ErrUnsupported
	})
	var id abi.Model
	var outcome abi.Outcome
	arguments := &abi.ModelLoad{Model: &id, Outcome: &outcome, Path: text(path)}
	w.ModelLoad(arguments)
	w.ModelLoadFS(arguments, os.DirFS(filepath.Dir(path)), filepath.Base(path))
	require.Equal(t, 2, asked)
}

func TestFoldersThatCannotBeLoaded(t *testing.T) {
	w := newToyWorld(t)
	for name, test := range map[string]struct {
		change func(folder string) error
		kind   abi.Scalar
		status abi.Status
		says   string
	}{
		"no configuration": {func(folder string) error { return os.Remove(filepath.Join(folder, "config.json")) }, 0,
			abi.StatusIO, "config.json"},
		"another architecture": {func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "config.json"), []byte("other"), 0o600)
		}, 0, abi.StatusUnsupported, `"other"`},
		"a file that is a folder": {func(folder string) error {
			return os.Mkdir(filepath.Join(folder, "weights.bin.d"), 0o700)
		}, abi.ScalarBF16, abi.StatusMalformed, "1 bytes"},
		"weights that are a folder": {func(folder string) error {
			if err := os.Remove(filepath.Join(folder, "weights.bin")); err != nil {
				return err
			}
			return os.Mkdir(filepath.Join(folder, "weights.bin"), 0o700)
		}, 0, abi.StatusIO, "not a regular file"},
		"a kind": {func(string) error { return nil }, abi.ScalarF16, abi.StatusUnsupported, "f16"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := toyFolder(t)
			require.NoError(t, test.change(folder))
			var id abi.Model
			var outcome abi.Outcome
			w.ModelLoad(&abi.ModelLoad{Model: &id, Outcome: &outcome, Path: text(folder), Scalar: test.kind})
			requireFailure(t, &outcome, test.status, -1)
			require.Contains(t, abi.TextAt(outcome.Message), test.says)
			require.Zero(t, id)
		})
	}
}

func TestNamesDoNotLeaveTheFolder(t *testing.T) {
	w := newToyWorld(t)
	var failures []error
	w.inside.OpenFolders(func(source folder.Source, _ *folder.Options) (engine.FolderModel, error) {
		for _, name := range []string{"../outside", "/etc/hosts", "a/../../outside", "", "a\x00b"} {
			_, opening := source.Open(name)
			_, mapping := source.Map(name)
			failures = append(failures, opening, mapping)
		}
		root, err := source.Open(".")
		require.NoError(t, err)
		require.NoError(t, root.Close())
		return nil, errors.ErrUnsupported
	})
	path := filepath.Join(t.TempDir(), "inside")
	require.NoError(t, os.Mkdir(path, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "outside"), []byte("secret"), 0o600))
	var id abi.Model
	var outcome abi.Outcome
	w.ModelLoad(&abi.ModelLoad{Model: &id, Outcome: &outcome, Path: text(path)})
	requireFailure(t, &outcome, abi.StatusUnsupported, -1)
	require.Len(t, failures, 10)
	for _, failure := range failures {
		require.Error(t, failure)
	}
}

// Texts that have one word too many, that fit, and that have no words.
var wordy = []string{"", "one", "a b c d e", "a b c d e f", "a b c d e f g", "   ", "é ü"}

func TestTextsOfAFolderAreTokenized(t *testing.T) {
	w := newToyWorld(t)
	m := w.loadFolder(toyFolder(t))
	e, x := w.encoding(m, w.arena(), wordy...), &abi.TextExtension{}
	w.TextEncodeWith(&e.TextEncode, x)
	requireSuccess(t, &e.outcome)
	// The default prompt is a word, and each text is between two special tokens.
	require.Equal(t, []uintptr{0, 3, 7, 15, 23, 31, 34, 39}, offsets(e.states, len(wordy)))
	require.Equal(t, []abi.TextCut{{Item: 3, Bytes: 2}, {Item: 4, Bytes: 4}}, x.Cut)

	x = &abi.TextExtension{TextPrompt: abi.TextPrompt{NoPrompt: true}, Cut: []abi.TextCut{{Item: -1}}}
	w.TextEncodeWith(&e.TextEncode, x)
	requireSuccess(t, &e.outcome)
	require.Equal(t, []uintptr{0, 2, 5, 12, 20, 28, 30, 34}, offsets(e.states, len(wordy)))
	require.Equal(t, []abi.TextCut{{Item: -1}, {Item: 4, Bytes: 2}}, x.Cut)

	// A text alone has the same bits as in the batch.
	whole, rows := floats(e.embeddings, len(wordy)), floats(e.states.Rows, 34)
	for i, text := range wordy {
		one := w.encoding(m, w.arena(), text)
		w.TextEncodeWith(&one.TextEncode, &abi.TextExtension{TextPrompt: abi.TextPrompt{NoPrompt: true}})
		requireSuccess(t, &one.outcome)
		require.Equal(t, bits(whole[i*toyColumns:(i+1)*toyColumns]), bits(floats(one.embeddings, 1)))
		begin, end := offsets(e.states, len(wordy))[i], offsets(e.states, len(wordy))[i+1]
		require.Equal(t, bits(rows[begin*toyColumns:end*toyColumns]), bits(floats(one.states.Rows, int(end-begin))))
	}

	w.TextEncodeWith(nil, x)
}

func TestPrompts(t *testing.T) {
	w := newToyWorld(t)
	folder, checkpoint := w.loadFolder(toyFolder(t)), w.load(tiny())
	encode := func(m abi.Model, prompt abi.TextPrompt) (*encoding, []float32) {
		e := w.encoding(m, w.arena(), "some text")
		w.TextEncodeWith(&e.TextEncode, &abi.TextExtension{TextPrompt: prompt})
		return e, floats(e.embeddings, min(1, int(e.embeddings.Columns)))
	}
	_, query := encode(folder, abi.TextPrompt{Prompt: "query"})
	_, passage := encode(folder, abi.TextPrompt{Prompt: "passage"})
	_, none := encode(folder, abi.TextPrompt{NoPrompt: true})
	_, byDefault := encode(folder, abi.TextPrompt{})
	require.Equal(t, query, byDefault)
	require.Equal(t, query, floats(w.succeeds(w.encoding(folder, w.arena(), "some text")).embeddings, 1))
	require.NotEqual(t, query, passage)
	require.NotEqual(t, query, none)
	written := w.encoding(folder, w.arena(), "read some text")
	w.TextEncodeWith(&written.TextEncode, &abi.TextExtension{TextPrompt: abi.TextPrompt{NoPrompt: true}})
	require.Equal(t, passage, floats(written.embeddings, 1))

	for _, test := range []struct {
		model  abi.Model
		prompt abi.TextPrompt
		says   string
	}{
		{folder, abi.TextPrompt{Prompt: "Query"}, `no prompt "Query": it has passage, query`},
		{folder, abi.TextPrompt{Prompt: "query", NoPrompt: true}, "drop one"},
		{checkpoint, abi.TextPrompt{Prompt: "query"}, "has no prompts"},
	} {
		e, _ := encode(test.model, test.prompt)
		requireFailure(t, &e.outcome, abi.StatusInvalidArgument, -1)
		require.Contains(t, abi.TextAt(e.outcome.Message), test.says)

		e = w.encoding(test.model, w.arena(), "some text").deferred(w.owned())
		w.TextEncodeWith(&e.TextEncode, &abi.TextExtension{TextPrompt: test.prompt})
		requireFailure(t, &e.outcome, abi.StatusInvalidArgument, -1)
	}
	e, _ := encode(checkpoint, abi.TextPrompt{NoPrompt: true})
	requireSuccess(t, &e.outcome)
}

func TestWholeTexts(t *testing.T) {
	w := newToyWorld(t)
	for name, m := range map[string]abi.Model{"folder": w.loadFolder(toyFolder(t)), "checkpoint": w.load(tiny())} {
		t.Run(name, func(t *testing.T) {
			e := w.encoding(m, w.arena(), "fits", strings.Repeat("does not fit ", 20), strings.Repeat("nor this ", 20))
			w.TextEncodeWith(&e.TextEncode, &abi.TextExtension{Whole: true})
			requireFailure(t, &e.outcome, abi.StatusInvalidArgument, 1)
			require.Contains(t, abi.TextAt(e.outcome.Message), "unset Whole")
			e = w.encoding(m, w.arena(), "fits", "too")
			x := &abi.TextExtension{Whole: true}
			w.TextEncodeWith(&e.TextEncode, x)
			requireSuccess(t, &e.outcome)
			require.Zero(t, len(x.Cut))
		})
	}
	e, x := w.encoding(w.load(tiny()), w.arena(), strings.Repeat("x", 100)), &abi.TextExtension{}
	w.TextEncodeWith(&e.TextEncode, x)
	require.Equal(t, []abi.TextCut{{Item: 0, Bytes: 4}}, x.Cut)
}

func TestMeasure(t *testing.T) {
	w := newToyWorld(t)
	folder, checkpoint := w.loadFolder(toyFolder(t)), w.load(tiny())
	for _, test := range []struct {
		model           abi.Model
		text            string
		prompt          abi.TextPrompt
		tokens, covered int
	}{
		{folder, "a b c d e f g", abi.TextPrompt{}, 8, 9},
		{folder, "a b c d e f g", abi.TextPrompt{NoPrompt: true}, 8, 11},
		{folder, "a b ", abi.TextPrompt{Prompt: "passage"}, 5, 4},
		{folder, "", abi.TextPrompt{}, 3, 0},
		{checkpoint, strings.Repeat("x", 100), abi.TextPrompt{}, 96, 96},
	} {
		var outcome abi.Outcome
		measure := &abi.TextMeasure{Model: test.model, Outcome: &outcome, TextPrompt: test.prompt, Text: []byte(test.text)}
		for range 2 {
			w.TextMeasure(measure)
			requireSuccess(t, &outcome)
			require.Equal(t, []int{test.tokens, test.covered}, []int{measure.Tokens, measure.Covered}, test.text)
		}
	}
	var outcome abi.Outcome
	for _, bad := range []*abi.TextMeasure{
		{}, {Model: 77}, {Model: folder, TextPrompt: abi.TextPrompt{Prompt: "none"}},
		{Model: folder, Text: []byte("\xff")}, {Model: folder, Text: []byte("UNREADABLE")},
	} {
		bad.Outcome = &outcome
		w.TextMeasure(bad)
		require.NotEqual(t, abi.StatusSuccess, outcome.Status)
	}
	w.TextMeasure(nil)
}

func TestFaultsOfTexts(t *testing.T) {
	w := newToyWorld(t)
	m := w.loadFolder(toyFolder(t))
	texts := sentences(3000)
	texts[1900], texts[2000] = "UNREADABLE", "UNREADABLE"
	for _, executor := range []abi.Executor{0, w.executor(3, abi.CallerInclusive)} {
		w.fails(w.encoding(m, w.arena(), texts...).on(executor), abi.StatusMalformed, 1900)
		w.fails(w.encoding(m, w.arena(), "UNREADABLE", "\xff").on(executor), abi.StatusMalformed, 1)
	}
}

func TestFoldersOnThreads(t *testing.T) {
	w := newToyWorld(t)
	m := w.loadFolder(toyFolder(t))
	texts := sentences(5000)
	want := w.succeeds(w.encoding(m, w.arena(), texts...))
	count := int(offsets(want.states, len(texts))[len(texts)])
	for _, executor := range []abi.Executor{w.inline(), w.owned(), w.executor(4, abi.CallerInclusive), w.executor(3, abi.CallerExclusive)} {
		got := w.succeeds(w.encoding(m, w.arena(), texts...).on(executor))
		require.Equal(t, floats(want.embeddings, len(texts)), floats(got.embeddings, len(texts)))
		require.Equal(t, floats(want.states.Rows, count), floats(got.states.Rows, count))

		e, x := w.encoding(m, w.arena(), texts...).deferred(executor), &abi.TextExtension{}
		w.TextEncodeWith(&e.TextEncode, x)
		w.wait(e)
		require.Equal(t, floats(want.embeddings, len(texts)), floats(e.embeddings, len(texts)))
		require.NotEmpty(t, x.Cut)
	}
}

func TestFoldersStopAndReport(t *testing.T) {
	w := newToyWorld(t)
	m := w.loadFolder(toyFolder(t))
	e := w.encoding(m, w.arena(), sentences(200)...).on(w.executor(2, abi.CallerInclusive))
	heard := w.listen(e, func(int, uintptr, uintptr) bool { return true })
	w.succeeds(e)
	require.Equal(t, [2]uintptr{200, 200}, heard.reports[len(heard.reports)-1])
	for stopAt := range 5 {
		e = w.encoding(m, w.arena(), sentences(200)...).on(w.executor(2, abi.CallerInclusive))
		w.listen(e, func(n int, _, _ uintptr) bool { return n < stopAt })
		w.fails(e, abi.StatusCancelled, -1)
	}
}

func TestBytesOfAFolderAreOfUnitRows(t *testing.T) {
	w := newToyWorld(t)
	m := w.loadFolder(toyFolder(t))
	full := floats(w.succeeds(w.encoding(m, w.arena(), "some text")).embeddings, 1)
	e := w.encoding(m, w.arena(), "some text")
	e.Scalar, e.States = abi.ScalarI8, nil
	w.TextEncode(&e.TextEncode)
	requireSuccess(t, &e.outcome)
	squares, dot, length := 0.0, 0.0, 0.0
	for i, value := range elements[int8](e.embeddings, 1) {
		squares += float64(value) * float64(value)
		dot += float64(value) * float64(full[i])
		length += float64(full[i]) * float64(full[i])
	}
	require.InDelta(t, 127*127, squares, 4*127)
	require.InDelta(t, 1, dot*dot/(squares*length), 1e-3)
	require.Greater(t, length, 1.1, "the toy's rows have no unit length")
}

func TestWhatFoldersCannot(t *testing.T) {
	w := newToyWorld(t)
	m := w.loadFolder(toyFolder(t))
	c := w.choosing(m, w.arena(), []string{"a"}, []string{"ab"})
	w.TextChoose(&c.TextChoose)
	requireFailure(t, &c.outcome, abi.StatusUnsupported, -1)
	var outcome abi.Outcome
	arena, rows := w.arena(), abi.RowsView{}
	for _, call := range map[string]func(){
		"images": func() {
			w.ImageEncode(&abi.ImageEncode{Model: m, Arena: arena, Outcome: &outcome, Embeddings: &rows})
		},
		"pixels": func() {
			w.ImageEncodePixels(&abi.ImageEncodePixels{Model: m, Arena: arena, Outcome: &outcome, Embeddings: &rows})
		},
		"videos": func() {
			w.VideoEncode(&abi.VideoEncode{Model: m, Arena: arena, Outcome: &outcome, Embeddings: &rows})
		},
		"recordings": func() {
			w.AudioEncode(&abi.AudioEncode{Model: m, Arena: arena, Outcome: &outcome, Embeddings: &rows})
		},
		"samples": func() {
			w.AudioEncodeSamples(&abi.AudioEncodeSamples{Model: m, Arena: arena, Outcome: &outcome, Embeddings: &rows})
		},
	} {
		call()
		requireFailure(t, &outcome, abi.StatusUnsupported, -1)
	}
	var trainer abi.Trainer
	w.TrainerInit(&abi.TrainerInit{Trainer: &trainer, Outcome: &outcome, Executor: w.inline(), Path: text(toyFolder(t))})
	requireFailure(t, &outcome, abi.StatusUnsupported, -1)
	require.Contains(t, abi.TextAt(outcome.Message), "examples/distill")
}

func TestSteadyTextsOfAFolderAllocateNothing(t *testing.T) {
	texts := make([]string, 150) // several slices
	for i := range texts {
		texts[i] = fmt.Sprint("number ", i, strings.Repeat(" x", i%3))
	}
	for _, name := range []string{"toy", "bert", "xlm-roberta", "modernbert", "model2vec"} {
		w := newWorldWith(t, nil, hooks.Engine{})
		path := filepath.Join("..", "internal", "folder", "testdata", name)
		if name == "toy" {
			w.inside.OpenFolders(openToy)
			path = toyFolder(t)
		}
		m := w.loadFolder(path)
		for on, executor := range map[string]abi.Executor{
			"calling thread": 0, "inline": w.inline(), "two threads": w.executor(2, abi.CallerInclusive), "worker": w.owned(),
		} {
			t.Run(name+" "+on, func(t *testing.T) {
				e, x := w.encoding(m, w.arena(), texts...).on(executor), &abi.TextExtension{}
				encode := func() { w.TextEncodeWith(&e.TextEncode, x) }
				for range 15 {
					encode()
				}
				requireSuccess(t, &e.outcome)
				require.Zero(t, len(x.Cut))
				require.Zero(t, testing.AllocsPerRun(20, encode))
			})
		}
	}
}
