package uform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/folder/foldertest"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// folderOf copies a folder of internal/folder/testdata, with what the references say of it.
func folderOf(t testing.TB, name string) (path string, said *foldertest.Golden) {
	t.Helper()
	return foldertest.Copy(t, filepath.Join("..", "internal", "folder", "testdata"), name)
}

// loadFolder loads a folder of internal/folder/testdata.
func loadFolder(t testing.TB, library *uform.Library, name string) *uform.Model {
	t.Helper()
	path, _ := folderOf(t, name)
	model, err := library.Load(t.Context(), path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	return model
}

// The rows that the references give, through every way in and every receiver.
func TestFoldersAreWhatTheReferencesSay(t *testing.T) {
	f := newFixture(t, nil)
	path, said := folderOf(t, "bert")
	var texts []string
	for _, c := range said.Cases {
		texts = append(texts, c.Text)
	}
	tape := uform.Strings(texts)
	check := func(name string, rows [][]float32, err error) {
		t.Helper()
		require.NoError(t, err, name)
		require.Len(t, rows, len(said.Cases))
		for i, c := range said.Cases {
			for k, want := range c.Embedding {
				require.InDelta(t, want, rows[i][k], 2e-5, "%s: text %d", name, i)
			}
		}
	}
	loads := map[string]func() (*uform.Model, error){
		"path": func() (*uform.Model, error) { return f.library.Load(background, path, nil) },
		"path on an executor": func() (*uform.Model, error) {
			return f.library.Load(background, path, &uform.LoadOptions{Executor: f.executor, Scalar: uform.F32})
		},
		"file system": func() (*uform.Model, error) {
			return f.library.LoadFS(background, os.DirFS(filepath.Dir(path)), filepath.Base(path), nil)
		},
		"root of a file system": func() (*uform.Model, error) { return f.library.LoadFS(background, os.DirFS(path), ".", nil) },
	}
	for name, load := range loads {
		t.Run(name, func(t *testing.T) {
			model, err := load()
			require.NoError(t, err)
			encoded, err := model.TextEncode(background, tape, f.arena, nil)
			require.NoError(t, err)
			rows, err := encoded.Embeddings.Copy()
			check("calling thread", rows, err)
			encoded, err = model.On(f.executor).TextEncode(background, tape, f.arena, nil)
			require.NoError(t, err)
			rows, err = encoded.Embeddings.Copy()
			check("executor", rows, err)
			call, err := model.Deferred(f.executor).TextEncode(background, tape, f.arena, &uform.TextOptions{Outputs: uform.Embeddings | uform.States})
			require.NoError(t, err)
			encoded, err = call.Wait(background)
			require.NoError(t, err)
			copied, err := encoded.Copy()
			check("deferred", copied.Embeddings, err)
			for i, c := range said.Cases {
				require.Len(t, copied.States[i], len(c.IDs), "a state for each token")
			}
			pool, err := uform.NewPool(model, nil)
			require.NoError(t, err)
			copied, err = pool.TextEncode(background, tape, nil)
			check("pool", copied.Embeddings, err)
			require.NoError(t, pool.Close())
			require.NoError(t, model.Close())
			_, err = model.TextEncode(background, tape, f.arena, nil)
			require.ErrorIs(t, err, uform.ErrClosed)
		})
	}
}

func TestFoldersAreDescribed(t *testing.T) {
	f := newFixture(t, nil)
	description, err := f.model.Describe(background)
	require.NoError(t, err)
	require.Equal(t, []string{"uform", "bytes", ""}, []string{description.Architecture, description.Tokenizer, description.DefaultPrompt})
	require.Empty(t, description.Prompts)

	model := loadFolder(t, f.library, "bert-prompts")
	description, err = model.On(f.executor).Describe(background)
	require.NoError(t, err)
	require.Equal(t, uform.ModelDescription{
		Architecture: "bert", Tokenizer: "WordPiece", Prompts: []string{"document", "query", "topic"}, DefaultPrompt: "document",
		Parameters: description.Parameters, WeightsBytes: description.WeightsBytes,
		EmbeddingColumns: 32, StateColumns: 32, Context: 48, Layers: 2, Heads: 2, Modalities: []uform.Modality{uform.Text},
		Scalar: uform.F32, Residency: uform.RAM, Device: -1,
	}, description)
	description.Prompts[0] = "changed"
	again, err := model.Describe(background)
	require.NoError(t, err)
	require.Equal(t, "document", again.Prompts[0])
}

func TestPromptsOfFolders(t *testing.T) {
	f := newFixture(t, nil)
	model, plain := loadFolder(t, f.library, "bert-prompts"), loadFolder(t, f.library, "bert")
	const text = "the sea"
	embed := func(model *uform.Model, text string, options *uform.EmbedOptions) []float32 {
		rows, err := model.EmbedWith(background, []string{text}, options)
		require.NoError(t, err)
		return rows[0]
	}
	query := embed(model, text, &uform.EmbedOptions{Prompt: "query"})
	require.Equal(t, embed(plain, "search_query: "+text, nil), query)
	require.Equal(t, embed(plain, "search_document: "+text, nil), embed(model, text, nil), "the default")
	require.Equal(t, embed(plain, text, nil), embed(model, text, &uform.EmbedOptions{NoPrompt: true}))
	pool, err := uform.NewPool(model, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	pooled, err := pool.EmbedWith(background, []string{text}, &uform.EmbedOptions{Prompt: "query"})
	require.NoError(t, err)
	require.Equal(t, query, pooled[0])
	call, err := model.Deferred(f.executor).TextEncode(background, uform.Strings([]string{text}), f.arena, &uform.TextOptions{Prompt: "query"})
	require.NoError(t, err)
	encoded, err := call.Wait(background)
	require.NoError(t, err)
	rows, err := encoded.Embeddings.Copy()
	require.NoError(t, err)
	require.Equal(t, query, rows[0])

	for _, c := range []struct {
		model   *uform.Model
		options uform.TextOptions
		says    string
	}{
		{model, uform.TextOptions{Prompt: "passage"}, `no prompt "passage": it has document, query, topic`},
		{model, uform.TextOptions{Prompt: "query", NoPrompt: true}, "drop one of them"},
		{plain, uform.TextOptions{Prompt: "query"}, "has no prompts"},
		{f.model, uform.TextOptions{Prompt: "query"}, "has no prompts"},
	} {
		_, err := c.model.TextEncode(background, uform.Strings([]string{text}), f.arena, &c.options)
		require.ErrorIs(t, err, uform.ErrInvalidArgument)
		require.ErrorContains(t, err, c.says)
		_, err = c.model.Deferred(f.executor).TextEncode(background, uform.Strings([]string{text}), f.arena, &c.options)
		require.ErrorIs(t, err, uform.ErrInvalidArgument)
		for _, err := range c.model.Windows(strings.Repeat(text, 99), &c.options) {
			if c.model != f.model {
				require.ErrorIs(t, err, uform.ErrInvalidArgument)
				require.ErrorContains(t, err, c.says)
			}
			break
		}
	}
	_, err = f.model.TextEncode(background, uform.Strings([]string{text}), f.arena, &uform.TextOptions{NoPrompt: true})
	require.NoError(t, err, "there is none to leave out")
}

// seaward is longer than the context of the folders of testdata.
var seaward = strings.Repeat("the boats came back from the sea and the harbour was small. ", 12)

func TestTextsOfFoldersAreCutByTokens(t *testing.T) {
	f := newFixture(t, nil)
	model := loadFolder(t, f.library, "bert")
	texts := uform.Strings([]string{"the sea", seaward, "", "and " + seaward})
	encoded, err := model.TextEncode(background, texts, f.arena, &uform.TextOptions{Outputs: uform.States})
	require.NoError(t, err)
	require.Len(t, encoded.Cut, 2)
	copied, err := encoded.Copy()
	require.NoError(t, err)
	for i, item := range []int{1, 3} {
		require.Equal(t, item, encoded.Cut[i].Item)
		require.Len(t, copied.States[item], 48, "the context")
	}
	require.Len(t, copied.States[2], 2, "the tokens around nothing")
	// What the tokens stand for has the same vector as the whole.
	kept := seaward[:len(seaward)-encoded.Cut[0].Bytes]
	heads, err := model.TextEncode(background, uform.Strings([]string{seaward, kept}), f.arena, nil)
	require.NoError(t, err)
	require.Equal(t, encoded.Cut[:1], []uform.Cut{{Item: 1, Bytes: heads.Cut[0].Bytes}})
	require.Len(t, heads.Cut, 1)
	rows, err := heads.Embeddings.Copy()
	require.NoError(t, err)
	require.Equal(t, rows[0], rows[1])

	_, err = model.TextEncode(background, texts, f.arena, &uform.TextOptions{Whole: true})
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	require.ErrorContains(t, err, "context of 48")
	var failure *uform.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 1, failure.Item)
	_, err = model.EmbedWith(background, []string{seaward}, &uform.EmbedOptions{Whole: true})
	require.ErrorIs(t, err, uform.ErrInvalidArgument)

	// Skipping, one call finds all that are too long.
	var skipped []int
	vectors, err := model.EmbedWith(background, []string{seaward, "the sea", "\xff", seaward}, &uform.EmbedOptions{
		Whole: true, Skip: func(fault *uform.Error) { skipped = append(skipped, fault.Item) },
	})
	require.NoError(t, err)
	require.Equal(t, []int{0, 2, 3}, skipped)
	alone, err := model.Embed(background, []string{"the sea"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{nil, alone[0], nil, nil}, vectors)
}

func TestWindowsOfFolders(t *testing.T) {
	f := newFixture(t, nil)
	for _, name := range []string{"bert", "roberta", "xlm-roberta", "modernbert", "bert-prompts"} {
		t.Run(name, func(t *testing.T) {
			model := loadFolder(t, f.library, name)
			for _, text := range []string{"", "the sea", seaward, strings.Repeat("boats", 300), strings.Repeat("é ", 400), strings.Repeat("日本語", 100), strings.Repeat(" ", 5000)} {
				for _, options := range []*uform.TextOptions{nil, {NoPrompt: true}} {
					var windows []string
					for window, err := range model.Windows(text, options) {
						require.NoError(t, err)
						windows = append(windows, window)
					}
					require.Equal(t, text, strings.Join(windows, ""))
					encoded, err := model.TextEncode(background, uform.Strings(windows), f.arena, options)
					require.NoError(t, err)
					require.Empty(t, encoded.Cut, "each fits into the context")
					if text == seaward {
						require.Greater(t, len(windows), 2)
						require.Less(t, len(windows), 30, "and few are needed")
						for i, window := range windows[1:] {
							require.True(t, strings.HasSuffix(windows[i], " ") || window[0] == ' ', "%q ends at white space", windows[i])
						}
					}
				}
			}
			for range model.Windows(seaward, nil) {
				break
			}
		})
	}
	for _, model := range []*uform.Model{f.model, loadFolder(t, f.library, "bert")} {
		for _, err := range model.Windows("not UTF-8: \xff", nil) {
			require.ErrorIs(t, err, uform.ErrMalformed)
		}
	}
	for _, err := range (*uform.Model)(nil).Windows("a", nil) {
		require.ErrorIs(t, err, uform.ErrInvalidArgument)
	}
	description, err := f.model.Describe(background)
	require.NoError(t, err)
	want := slices.Collect(uform.Windows(strings.Repeat(seaward, 9), description.Context))
	var got []string
	for window := range f.model.Windows(strings.Repeat(seaward, 9), nil) {
		got = append(got, window)
	}
	require.Equal(t, want, got, "a token is a byte")
	path, _ := folderOf(t, "bert")
	model, err := f.library.Load(background, path, nil)
	require.NoError(t, err)
	require.NoError(t, model.Close())
	for _, err := range model.Windows("a", nil) {
		require.ErrorIs(t, err, uform.ErrClosed)
	}
}

// The vector of a long text is the mean of its windows', as long as they are.
func TestFoldersEmbedLongTexts(t *testing.T) {
	f := newFixture(t, nil)
	for _, name := range []string{"bert", "bert-no-modules", "bert-prompts"} {
		t.Run(name, func(t *testing.T) {
			model := loadFolder(t, f.library, name)
			var reports [][2]int
			rows, err := model.EmbedWith(background, []string{"the sea", seaward, "boats", ""}, &uform.EmbedOptions{
				Progress: func(finished, total int) error {
					reports = append(reports, [2]int{finished, total})
					return nil
				},
			})
			require.NoError(t, err)
			require.Equal(t, [2]int{4, 4}, reports[len(reports)-1])
			var windows []string
			for window, err := range model.Windows(seaward, nil) {
				require.NoError(t, err)
				windows = append(windows, window)
			}
			var sum [32]float64
			lengths := 0.0
			for i, row := range vectors(t, model, windows...) {
				for k, value := range row {
					sum[k] += float64(value) * float64(len(windows[i])) / float64(len(seaward))
				}
				lengths += lengthOf(row) * float64(len(windows[i])) / float64(len(seaward))
			}
			require.InDelta(t, lengths, lengthOf(rows[1]), 1e-5)
			scale := 0.0
			for _, value := range sum {
				scale += value * value
			}
			for k, value := range sum {
				require.InDelta(t, value*lengths/math.Sqrt(scale), rows[1][k], 1e-5)
			}
			for i, text := range []string{"the sea", seaward, "boats", ""} {
				require.Equal(t, vectors(t, model, text)[0], rows[i])
			}
		})
	}
}

// An error of cutting a long text is one of the call, and names the text if that is at fault.
func TestTextsOfFoldersThatCannotBeCut(t *testing.T) {
	f := newFixture(t, nil)
	path, _ := folderOf(t, "bert")
	file := filepath.Join(path, "tokenizer.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var tokenizer map[string]any
	require.NoError(t, json.Unmarshal(text, &tokenizer))
	replace := map[string]any{"type": "Replace", "pattern": map[string]any{"String": "x"}, "content": strings.Repeat("x", 10)}
	tokenizer["normalizer"] = map[string]any{"type": "Sequence", "normalizers": slices.Repeat([]any{replace}, 30)}
	text, err = json.Marshal(tokenizer)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	model, err := f.library.Load(background, path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })

	var failure *uform.Error
	_, err = model.Embed(background, []string{"the sea", seaward + "x"})
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "encode texts", failure.Verb)
	require.Equal(t, 1, failure.Item)
	require.ErrorIs(t, err, uform.ErrMalformed)
	_, err = model.EmbedWith(background, []string{"the sea", seaward}, &uform.EmbedOptions{Prompt: "query"})
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "encode texts", failure.Verb)
	require.Equal(t, -1, failure.Item)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	_, err = model.Embed(background, []string{seaward})
	require.NoError(t, err)
}

func lengthOf(row []float32) float64 {
	squares := 0.0
	for _, value := range row {
		squares += float64(value) * float64(value)
	}
	return math.Sqrt(squares)
}

// Pictures and texts of CLIP, SigLIP and UForm 3 meet in one space. A folder of pictures alone has
// no texts; its pictures are also transparent ones, which the references lay over white.
func TestPicturesOfFolders(t *testing.T) {
	f := newFixture(t, &uform.ExecutorOptions{Threads: 2})
	for _, name := range []string{"clip", "siglip", "uform", "clip-vision", "clip-vision-projected", "siglip-vision"} {
		t.Run(name, func(t *testing.T) {
			path, said := folderOf(t, name)
			model, err := f.library.Load(background, path, nil)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, model.Close()) })
			description, err := model.Describe(background)
			require.NoError(t, err)
			modalities := []uform.Modality{uform.Text, uform.Image}
			if len(said.Cases) == 0 {
				modalities = modalities[1:]
			}
			require.Equal(t, modalities, description.Modalities)
			var files [][]byte
			for _, picture := range said.Pictures {
				files = append(files, sampleFile(t, "images", picture.Picture))
			}
			files = append(files, nil)
			both := &uform.EncodeOptions{Outputs: uform.Embeddings | uform.States}
			encoded, err := model.ImageEncode(background, uform.Bytes(files), f.arena, both)
			require.NoError(t, err)
			want, err := encoded.Copy()
			require.NoError(t, err)
			for i, picture := range said.Pictures {
				require.Len(t, want.Embeddings[i], description.EmbeddingColumns)
				for k, value := range picture.Embedding {
					require.InDelta(t, value, want.Embeddings[i][k], 2e-5, picture.Picture)
				}
				if picture.States != nil {
					// Rows of pictures may have another width than those of texts, which the
					// description has.
					require.Len(t, want.States[i], picture.Rows)
					require.Equal(t, len(picture.States)/picture.Rows, encoded.States.Rows().Columns())
					require.InDeltaSlice(t, picture.States, slices.Concat(want.States[i]...), 5e-5)
				}
			}
			require.Empty(t, want.States[len(said.Pictures)], "an empty file has no states")
			call, err := model.Deferred(f.executor).ImageEncode(background, uform.Bytes(files), f.arena, both)
			require.NoError(t, err)
			encoded, err = call.Wait(background)
			require.NoError(t, err)
			got, err := encoded.Copy()
			require.NoError(t, err)
			require.Equal(t, want, got)

			first, _, err := image.Decode(bytes.NewReader(files[0]))
			require.NoError(t, err)
			encoded, err = model.ImageEncodePixels(background, uform.Images(first), f.arena, both)
			require.NoError(t, err)
			got, err = encoded.Copy()
			require.NoError(t, err)
			require.Equal(t, want.Embeddings[:1], got.Embeddings)
			require.Equal(t, want.States[:1], got.States)

			_, err = model.ImageEncode(background, uform.Bytes([][]byte{files[0], []byte("no picture")}), f.arena, nil)
			require.ErrorIs(t, err, uform.ErrMalformed)
			var failure *uform.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, 1, failure.Item)
			encoded, err = model.TextEncode(background, uform.Strings([]string{"a small boat"}), f.arena, nil)
			if len(said.Cases) == 0 {
				require.ErrorIs(t, err, uform.ErrUnsupported)
				return
			}
			require.NoError(t, err)
			require.Equal(t, description.EmbeddingColumns, encoded.Embeddings.Columns())
		})
	}
}

func TestFoldersInOtherKinds(t *testing.T) {
	f := newFixture(t, nil)
	path, _ := folderOf(t, "bert")
	want := vectors(t, loadFolder(t, f.library, "bert"), "the boats came back")[0]
	for scalar, tolerance := range map[uform.Scalar]float64{uform.BF16: 0.01, uform.I8: 0.05} {
		model, err := f.library.Load(background, path, &uform.LoadOptions{Scalar: scalar})
		require.NoError(t, err)
		description, err := model.Describe(background)
		require.NoError(t, err)
		require.Equal(t, scalar, description.Scalar)
		dot := 0.0
		for k, value := range vectors(t, model, "the boats came back")[0] {
			dot += float64(value) * float64(want[k])
		}
		require.InDelta(t, 1, dot/lengthOf(want)/lengthOf(vectors(t, model, "the boats came back")[0]), tolerance)
		require.NoError(t, model.Close())
	}
	_, err := f.library.Load(background, path, &uform.LoadOptions{Scalar: uform.F16})
	require.ErrorIs(t, err, uform.ErrUnsupported)
}

func TestFoldersThatDoNotLoad(t *testing.T) {
	f := newFixture(t, nil)
	path, _ := folderOf(t, "bert")
	_, err := f.library.NewTrainer(background, path, f.executor, nil)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.ErrorContains(t, err, "examples/distill")

	require.NoError(t, os.WriteFile(filepath.Join(path, "config.json"), []byte(`{"model_type": "t5"}`), 0o600))
	_, err = f.library.Load(background, path, nil)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.ErrorContains(t, err, "t5")
	require.ErrorContains(t, err, strconv.Quote(path)) // with the backslashes of Windows twice
	require.NoError(t, os.Truncate(filepath.Join(path, "config.json"), 5))
	_, err = f.library.LoadFS(background, os.DirFS(path), ".", nil)
	require.ErrorIs(t, err, uform.ErrMalformed)
	_, err = f.library.LoadFS(background, fstest.MapFS{"a/b": {}}, "a", nil)
	require.Error(t, err)

	path, _ = folderOf(t, "bert")
	ctx, cancel := context.WithCancel(background)
	_, err = f.library.Load(ctx, path, &uform.LoadOptions{Progress: func(int, int) error {
		cancel()
		return nil
	}})
	require.ErrorIs(t, err, context.Canceled)
	for _, load := range []func(*uform.LoadOptions) (*uform.Model, error){
		func(o *uform.LoadOptions) (*uform.Model, error) { return f.library.Load(background, path, o) },
		func(o *uform.LoadOptions) (*uform.Model, error) {
			return f.library.LoadFS(background, os.DirFS(path), ".", o)
		},
	} {
		require.Panics(t, func() {
			_, _ = load(&uform.LoadOptions{Progress: func(int, int) error { panic("oh") }})
		})
	}
}

func TestWhatFoldersCannot(t *testing.T) {
	f := newFixture(t, nil)
	model := loadFolder(t, f.library, "bert")
	_, err := model.TextChoose(background, uform.Strings([]string{"a"}), uform.Strings([]string{"ab"}), f.arena, nil)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	_, err = model.VideoEncode(background, uform.Tape{}, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	_, err = model.AudioEncode(background, uform.Tape{}, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	_, err = model.ImageEncode(background, uform.Tape{}, f.arena, nil)
	require.ErrorIs(t, err, uform.ErrUnsupported)
}

// A shared library loads no folder, whatever it would say of it.
func TestSharedLibrariesLoadNoFolders(t *testing.T) {
	library, err := uform.Open(&uform.OpenOptions{Path: loadertest.Need(t)})
	require.NoError(t, err)
	executor, err := library.NewExecutor(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, executor.Close()) })
	path, _ := folderOf(t, "bert")
	_, ofPath := library.Load(background, path, nil)
	_, ofFS := library.LoadFS(background, os.DirFS(path), ".", nil)
	for _, err := range []error{ofPath, ofFS} {
		require.ErrorIs(t, err, uform.ErrUnsupported)
		require.ErrorContains(t, err, "OpenOptions.Embedded")
	}
	_, err = library.NewTrainer(background, path, executor, nil)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.ErrorContains(t, err, "examples/distill")

	model := loadMini(t, library)
	arena, err := library.NewArena(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, arena.Close()) })
	texts := uform.Strings([]string{"a text"})
	_, err = model.TextEncode(background, texts, arena, &uform.TextOptions{Prompt: "query"})
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.ErrorContains(t, err, "OpenOptions.Embedded")
	_, err = model.TextEncode(background, texts, arena, &uform.TextOptions{NoPrompt: true})
	require.NoError(t, err)
	description, err := model.Describe(background)
	require.NoError(t, err)
	require.Equal(t, []string{"uform", "bytes"}, []string{description.Architecture, description.Tokenizer})
	for window, err := range model.Windows("a text", nil) {
		require.NoError(t, err)
		require.Equal(t, "a text", window)
	}
}

func loadMini(t testing.TB, library *uform.Library) *uform.Model {
	t.Helper()
	model, err := mini.Load(t.Context(), library, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	return model
}

func TestTokens(t *testing.T) {
	f := newFixture(t, nil)
	for _, name := range []string{"bert", "roberta", "xlm-roberta", "modernbert", "bert-prompts"} {
		t.Run(name, func(t *testing.T) {
			model := loadFolder(t, f.library, name)
			for _, options := range []*uform.TextOptions{nil, {NoPrompt: true}} {
				for _, text := range []string{"", "the sea", seaward} {
					windows := []string{""}
					if text != "" {
						windows = windows[:0]
					}
					for window, err := range model.Windows(text, options) {
						require.NoError(t, err)
						windows = append(windows, window)
					}
					states := uform.TextOptions{Outputs: uform.States}
					if options != nil {
						states.NoPrompt = options.NoPrompt
					}
					encoded, err := model.TextEncode(background, uform.Strings(windows), f.arena, &states)
					require.NoError(t, err)
					want := 0
					for i := range windows {
						rows, err := encoded.States.Item(i)
						require.NoError(t, err)
						want += rows.Len()
					}
					tokens, err := model.Tokens(text, options)
					require.NoError(t, err)
					require.Equal(t, want, tokens, "%q: each token has a state", text)
				}
			}
			_, err := model.Tokens("a", &uform.TextOptions{Prompt: "none of this name"})
			require.ErrorContains(t, err, "count tokens")
			_, err = model.Tokens("not UTF-8: \xff", nil)
			require.ErrorIs(t, err, uform.ErrMalformed)
			require.NoError(t, model.Close())
			_, err = model.Tokens("a", nil)
			require.ErrorIs(t, err, uform.ErrClosed)
		})
	}
	_, err := (*uform.Model)(nil).Tokens("a", nil)
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
	tokens, err := f.model.Tokens(strings.Repeat(seaward, 99), nil)
	require.NoError(t, err)
	require.Equal(t, 99*len(seaward), tokens, "a token is a byte")
}
