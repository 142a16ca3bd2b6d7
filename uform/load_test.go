package uform_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

func TestModelsComeFromPathsBytesAndFileSystems(t *testing.T) {
	f := newFixture(t, nil)
	want := vectors(t, f.model, someTexts...)
	path := filepath.Join(t.TempDir(), "модель.safetensors")
	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	loads := map[string]func(*uform.LoadOptions) (*uform.Model, error){
		"path": func(o *uform.LoadOptions) (*uform.Model, error) { return f.library.Load(background, path, o) },
		"bytes": func(o *uform.LoadOptions) (*uform.Model, error) {
			return f.library.LoadBytes(background, mini.Checkpoint(), o)
		},
		"fs": func(o *uform.LoadOptions) (*uform.Model, error) {
			fsys := fstest.MapFS{"a/model": {Data: mini.Checkpoint()}}
			return f.library.LoadFS(background, fsys, "a/model", o)
		},
	}
	for name, load := range loads {
		t.Run(name, func(t *testing.T) {
			var heard [][2]int
			model, err := load(&uform.LoadOptions{Executor: f.executor, Progress: func(finished, total int) error {
				heard = append(heard, [2]int{finished, total})
				return nil
			}})
			require.NoError(t, err)
			require.Equal(t, want, vectors(t, model, someTexts...))
			require.NoError(t, model.Close())
			require.Zero(t, heard[0][0])
			require.Equal(t, heard[len(heard)-1][1], heard[len(heard)-1][0], "the last report is the end")

			reason := fmt.Errorf("not now")
			_, err = load(&uform.LoadOptions{Progress: func(int, int) error { return reason }})
			require.ErrorIs(t, err, uform.ErrCancelled)
			require.ErrorIs(t, err, reason)
			require.Panics(t, func() {
				_, _ = load(&uform.LoadOptions{Progress: func(int, int) error { panic("oh") }})
			})
			_, err = load(&uform.LoadOptions{Scalar: uform.F16})
			require.ErrorIs(t, err, uform.ErrUnsupported)
			model, err = load(&uform.LoadOptions{Scalar: uform.F32})
			require.NoError(t, err)
			description, err := model.Describe(background)
			require.NoError(t, err)
			require.Equal(t, uform.F32, description.Scalar)
			require.NoError(t, model.Close())
		})
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, err := f.library.Load(ctx, path, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestPathsThatCannotBeRead(t *testing.T) {
	f := newFixture(t, nil)
	cases := map[string]struct {
		path string
		want error
	}{
		"missing":     {filepath.Join(t.TempDir(), "none"), fs.ErrNotExist},
		"a directory": {t.TempDir(), uform.ErrIO},
		"empty":       {"", uform.ErrInvalidArgument},
		"a NUL":       {"a\x00b", uform.ErrInvalidArgument},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := f.library.Load(background, c.path, nil)
			require.ErrorIs(t, err, c.want)
			var failure *uform.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, "load model", failure.Verb)
		})
	}
	_, err := f.library.LoadFS(background, fstest.MapFS{}, "none", nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, err, uform.ErrIO)
}

func TestMalformedFilesAreNamed(t *testing.T) {
	for name, options := range map[string]func(*testing.T) *uform.OpenOptions{
		"engine": func(*testing.T) *uform.OpenOptions { return &uform.OpenOptions{Embedded: true} },
		"native": func(t *testing.T) *uform.OpenOptions { return &uform.OpenOptions{Path: loadertest.Need(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			library, err := uform.Open(options(t))
			require.NoError(t, err)
			executor, err := library.NewExecutor(nil)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, executor.Close()) })
			path, cut := filepath.Join(t.TempDir(), "cut.safetensors"), mini.Checkpoint()[:1000]
			require.NoError(t, os.WriteFile(path, cut, 0o600))

			_, ofModel := library.Load(background, path, nil)
			_, ofTrainer := library.NewTrainer(background, path, executor, nil)
			for _, failure := range []error{ofModel, ofTrainer} {
				require.ErrorIs(t, failure, uform.ErrMalformed)
				require.ErrorContains(t, failure, fmt.Sprintf("%q: ", path))
			}
			_, ofModel = library.LoadBytes(background, cut, nil)
			_, ofTrainer = library.NewTrainerBytes(background, cut, executor, nil)
			for _, failure := range []error{ofModel, ofTrainer} {
				require.ErrorIs(t, failure, uform.ErrMalformed)
				require.NotContains(t, failure.Error(), "/", "a private copy has no path that the caller knows")
			}
		})
	}
}

// Bytes have no path, so no failure names one; that there are none is told in the same words
// everywhere.
func TestBytesHaveNoPath(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		closed, err := f.library.NewExecutor(nil)
		require.NoError(t, err)
		require.NoError(t, closed.Close())
		ended, cancel := context.WithCancel(background)
		cancel()
		stop := func(int, int) error { return fmt.Errorf("not now") }
		for name, c := range map[string]struct {
			ctx      context.Context
			bytes    []byte
			executor *uform.Executor
			scalar   uform.Scalar
			progress uform.Handler
			status   error
			says     string
		}{
			"nil":            {bytes: nil, status: uform.ErrMalformed, says: "there are no bytes"},
			"empty":          {bytes: []byte{}, status: uform.ErrMalformed, says: "there are no bytes"},
			"one byte":       {bytes: []byte{1}, status: uform.ErrMalformed},
			"noise":          {bytes: []byte(strings.Repeat("noise", 99)), status: uform.ErrMalformed},
			"cut":            {bytes: mini.Checkpoint()[:1000], status: uform.ErrMalformed},
			"cancelled":      {ctx: ended, bytes: mini.Checkpoint(), status: uform.ErrCancelled},
			"stopped":        {bytes: mini.Checkpoint(), progress: stop, status: uform.ErrCancelled, says: "not now"},
			"closed":         {bytes: mini.Checkpoint(), executor: closed, status: uform.ErrClosed},
			"of other kinds": {bytes: mini.Checkpoint(), scalar: uform.F16, status: uform.ErrUnsupported},
		} {
			t.Run(name, func(t *testing.T) {
				if c.ctx == nil {
					c.ctx = background
				}
				if c.executor == nil {
					c.executor = f.executor
				}
				_, ofModel := f.library.LoadBytes(c.ctx, c.bytes, &uform.LoadOptions{Executor: c.executor, Scalar: c.scalar, Progress: c.progress})
				_, ofTrainer := f.library.NewTrainerBytes(c.ctx, c.bytes, c.executor, &uform.TrainerOptions{Progress: c.progress})
				failures := []error{ofModel, ofTrainer}
				if c.scalar != 0 { // a trainer has no such option
					require.NoError(t, ofTrainer)
					failures = failures[:1]
				}
				for _, failure := range failures {
					require.ErrorIs(t, failure, c.status)
					require.ErrorContains(t, failure, c.says)
					require.NotContains(t, failure.Error(), "/")
				}
			})
		}
	})

	// A library whose message has the path that it was given.
	var message []byte
	tell := func(path *byte, outcome *abi.Outcome, status abi.Status) {
		message = append([]byte("cannot use "+abi.Text(path)), 0)
		outcome.Status, outcome.Item, outcome.Message = status, -1, abi.Address(message)
	}
	table := *engine.New()
	table.ModelLoadBytes, table.TrainerInitBytes = nil, nil
	library := uform.OpenTable(&table)
	executor, err := library.NewExecutor(nil)
	require.NoError(t, err)
	defer executor.Close()
	for _, status := range []abi.Status{abi.StatusIO, abi.StatusMalformed, abi.StatusOutOfMemory, abi.StatusUnknown, abi.StatusUnsupported} {
		table.ModelLoad = func(a *abi.ModelLoad) { tell(a.Path, a.Outcome, status) }
		table.TrainerInit = func(a *abi.TrainerInit) { tell(a.Path, a.Outcome, status) }
		_, ofModel := library.LoadBytes(background, mini.Checkpoint(), nil)
		_, ofTrainer := library.NewTrainerBytes(background, mini.Checkpoint(), executor, nil)
		for _, failure := range []error{ofModel, ofTrainer} {
			require.ErrorIs(t, failure, uform.Status(status))
			require.ErrorContains(t, failure, "cannot use the checkpoint")
			require.NotContains(t, failure.Error(), "/")
		}
	}
}

// header is the container's header as JSON, and the body behind it.
func header(t *testing.T, checkpoint []byte) (map[string]any, []byte) {
	t.Helper()
	length := binary.LittleEndian.Uint64(checkpoint)
	var members map[string]any
	require.NoError(t, json.Unmarshal(checkpoint[8:8+length], &members))
	return members, checkpoint[8+length:]
}

func container(t *testing.T, members map[string]any, body []byte) []byte {
	t.Helper()
	text, err := json.Marshal(members)
	require.NoError(t, err)
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), body...)
}

func TestHostileCheckpoints(t *testing.T) {
	f := newFixture(t, nil)
	tensor := func(members map[string]any, name string) map[string]any { return members[name].(map[string]any) }
	changes := map[string]struct {
		change func(members map[string]any, body []byte)
		says   string
	}{
		"missing tensor": {func(m map[string]any, _ []byte) {
			m["renamed"] = m["projection"]
			delete(m, "projection")
		}, "projection"},
		"wrong type": {func(m map[string]any, _ []byte) {
			norm := tensor(m, "norm")
			norm["dtype"], norm["shape"] = "BF16", []int{128}
		}, "norm"},
		"overlapping tensors": {func(m map[string]any, _ []byte) {
			tensor(m, "norm")["data_offsets"] = tensor(m, "layers.0.attention.norm")["data_offsets"]
		}, ""},
		"NaN": {func(m map[string]any, body []byte) {
			at := tensor(m, "norm")["data_offsets"].([]any)[0].(float64)
			binary.LittleEndian.PutUint32(body[int(at)+8:], math.Float32bits(float32(math.NaN())))
		}, "norm"},
		"not ours": {func(m map[string]any, _ []byte) { delete(m, "__metadata__") }, "metadata"},
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			members, body := header(t, mini.Checkpoint())
			c.change(members, body)
			_, err := f.library.LoadBytes(background, container(t, members, body), nil)
			require.ErrorIs(t, err, uform.ErrMalformed)
			require.ErrorContains(t, err, c.says)
		})
	}
	whole := mini.Checkpoint()
	bytes := map[string][]byte{
		"empty":          nil,
		"truncated":      whole[:len(whole)-1],
		"headless":       whole[:100],
		"trailing bytes": append(mini.Checkpoint(), 0),
		"huge header":    append(binary.LittleEndian.AppendUint64(nil, 1<<63), whole[8:]...),
		"no JSON":        append(binary.LittleEndian.AppendUint64(nil, 4), "oops"...),
		"deep JSON":      append(binary.LittleEndian.AppendUint64(nil, 1<<16), strings.Repeat("[", 1<<16)...),
	}
	for name, checkpoint := range bytes {
		t.Run(name, func(t *testing.T) {
			_, err := f.library.LoadBytes(background, checkpoint, nil)
			require.ErrorIs(t, err, uform.ErrMalformed)
			path := filepath.Join(t.TempDir(), "model")
			require.NoError(t, os.WriteFile(path, checkpoint, 0o600))
			_, err = f.library.Load(background, path, nil)
			require.ErrorIs(t, err, uform.ErrMalformed)
		})
	}
	require.NotEmpty(t, vectors(t, f.model, "still usable"))
}
