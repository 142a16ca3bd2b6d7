package train_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

// savingAgain, if set, makes the test binary a program that saves to that path without end.
const savingAgain = "UFORM_TEST_SAVE_TO"

func TestMain(m *testing.M) {
	if path := os.Getenv(savingAgain); path != "" {
		saveForEver(path)
	}
	os.Exit(m.Run())
}

// saveForEver makes a step and saves, repeatedly, and reports when the first file exists.
func saveForEver(path string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	file, err := os.ReadFile(path)
	fail(err)
	trainer, err := train.New(file, &train.Options{Spread: train.Threads(1)})
	fail(err)
	batch := &train.Batch{Neighbours: true, Items: []train.Item{{Text: []byte("a")}, {Text: []byte("b")}, {Text: []byte("c")}, {Text: []byte("d")}}}
	for told := false; ; told = true {
		_, err := trainer.Step(context.Background(), batch, nil)
		fail(err)
		fail(trainer.Save(path, nil))
		if !told {
			fmt.Println("saved")
		}
	}
}

// A process that is killed at any moment of a save leaves the old file or the new file, complete.
// All 200 repetitions run with UFORM_LONG only.
func TestKilledSaves(t *testing.T) {
	times := 20
	if os.Getenv("UFORM_LONG") != "" {
		times = 200
	}
	config := bagConfig()
	config.Grams.Buckets = 4096 // so that writing takes some time
	file, err := train.Fresh(config, 1)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "run.safetensors")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	random := rand.New(rand.NewPCG(2, 2))
	last, saves := uint64(0), 0
	for range times {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), savingAgain+"="+path)
		var faults bytes.Buffer
		child.Stderr = &faults
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		_, heard := out.Read(make([]byte, 1))
		time.Sleep(time.Duration(random.IntN(30_000)) * time.Microsecond)
		_ = child.Process.Kill()
		_ = child.Wait() // only then is its standard error complete
		require.NoError(t, heard, faults.String())
		require.Empty(t, faults.String())
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		trainer, err := train.New(left, nil)
		require.NoError(t, err, "neither the file before nor the one after")
		_, err = model.Parse(left, nil)
		require.NoError(t, err)
		require.GreaterOrEqual(t, trainer.Steps(), last+1)
		saves += int(trainer.Steps() - last)
		last = trainer.Steps()
	}
	t.Logf("%d processes killed, %d saves in between", times, saves)
}

// A run resumed from its file makes the same steps, to the last bit; a file without moments starts
// with zero moments.
func TestResume(t *testing.T) {
	config := mediaConfig()
	batch := batchFor(config, rand.New(rand.NewPCG(9, 9)), config.Columns)
	straight, _ := start(t, config, &train.Options{Optimizer: model.Training{LearningRate: 0.02, WeightDecay: 0.1, Clip: 0.5}})
	step := func(trainer *train.Trainer) *train.Stats {
		stats, err := trainer.Step(t.Context(), batch, &train.StepOptions{Losses: allLosses})
		require.NoError(t, err)
		return stats
	}
	for range 3 {
		step(straight)
	}
	var file bytes.Buffer
	require.NoError(t, straight.Write(&file))
	resumed, err := train.New(file.Bytes(), nil)
	require.NoError(t, err)
	require.Equal(t, straight.Settings(), resumed.Settings(), "the settings are in the file")
	require.Equal(t, step(straight), step(resumed))
	for _, layout := range config.Layouts() {
		require.Equal(t, straight.Tensor(layout.Name), resumed.Tensor(layout.Name), layout.Name)
	}

	metadata, err := straight.Metadata()
	require.NoError(t, err)
	var bare bytes.Buffer
	require.NoError(t, model.WriteContainer(&bare, metadata, straight.Tensors(false)))
	without, err := train.New(bare.Bytes(), nil)
	require.NoError(t, err)
	require.EqualValues(t, 4, without.Steps())
	step(without)
	require.NotEqual(t, step(straight).Loss, step(without).Loss)

	delete(metadata, "uform.step")
	var plain bytes.Buffer
	require.NoError(t, model.WriteContainer(&plain, metadata, straight.Tensors(true)))
	anew, err := train.New(plain.Bytes(), nil)
	require.NoError(t, err)
	require.Zero(t, anew.Steps(), "without a step nothing is resumed")
}

func TestResumeRefuses(t *testing.T) {
	trainer, _ := start(t, textConfig(), nil)
	_, err := trainer.Step(t.Context(), batchFor(textConfig(), rand.New(rand.NewPCG(1, 1)), 20), &train.StepOptions{Losses: allLosses})
	require.NoError(t, err)
	for name, damage := range map[string]func(metadata map[string]string, tensors map[string]*model.Tensor){
		"a step of no number": func(metadata map[string]string, _ map[string]*model.Tensor) { metadata["uform.step"] = "-1" },
		"a step too large": func(metadata map[string]string, _ map[string]*model.Tensor) {
			metadata["uform.step"] = "9223372036854775808"
		},
		"one moment alone": func(_ map[string]string, tensors map[string]*model.Tensor) { delete(tensors, "norm.moment1") },
		"another shape": func(_ map[string]string, tensors map[string]*model.Tensor) {
			*tensors["norm.moment2"] = model.FloatTensor("norm.moment2", make([]float32, 24), 4, 6)
		},
		"another dtype": func(_ map[string]string, tensors map[string]*model.Tensor) {
			*tensors["norm.moment2"] = model.HalfTensor("norm.moment2", make([]float32, 24), 24)
		},
		"below zero": func(_ map[string]string, tensors map[string]*model.Tensor) {
			values := make([]float32, 24)
			values[3] = -1
			*tensors["norm.moment2"] = model.FloatTensor("norm.moment2", values, 24)
		},
		"a setting out of range": func(metadata map[string]string, _ map[string]*model.Tensor) {
			metadata["uform"] = strings.Replace(metadata["uform"], `"beta1":0.9`, `"beta1":1`, 1)
		},
		"a setting of another type": func(metadata map[string]string, _ map[string]*model.Tensor) {
			metadata["uform"] = strings.Replace(metadata["uform"], `"beta1":0.9`, `"beta1":"0.9"`, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			metadata, err := trainer.Metadata()
			require.NoError(t, err)
			named := map[string]*model.Tensor{}
			for _, tensor := range trainer.Tensors(true) {
				named[tensor.Name] = &tensor
			}
			damage(metadata, named)
			var tensors []model.Tensor
			for _, tensor := range named {
				tensors = append(tensors, *tensor)
			}
			var file bytes.Buffer
			require.NoError(t, model.WriteContainer(&file, metadata, tensors))
			_, err = train.New(file.Bytes(), nil)
			require.ErrorIs(t, err, errors.ErrMalformed)
			_, err = model.Parse(file.Bytes(), nil)
			require.NoError(t, err, "a model's load does not look at it")
		})
	}
}

// A failed save returns an error, and leaves the old file.
func TestSaveFails(t *testing.T) {
	trainer, _ := start(t, bagConfig(), nil)
	folder := t.TempDir()
	path := filepath.Join(folder, "run")
	require.NoError(t, os.Mkdir(path, 0o700))
	require.ErrorIs(t, trainer.Save(path, nil), errors.ErrIO)
	require.ErrorIs(t, trainer.Save(filepath.Join(folder, "nothing", "run"), nil), errors.ErrIO)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	var reports []string
	require.NoError(t, trainer.Save(filepath.Join(folder, "good"), func(done, total uint64) bool {
		reports = append(reports, strconv.FormatUint(done, 10))
		require.LessOrEqual(t, done, total)
		return true
	}))
	require.Equal(t, "0", reports[0])
	status, err := os.Stat(filepath.Join(folder, "good"))
	require.NoError(t, err)
	require.Equal(t, strconv.FormatInt(status.Size(), 10), reports[len(reports)-1])
}

// A run with values that are not finite does not overwrite a good file with one that cannot be
// loaded.
func TestDivergedRunsAreNotSaved(t *testing.T) {
	for name, diverge := range map[string]func(*train.Trainer){
		"a weight": func(trainer *train.Trainer) { trainer.Tensor("projection")[3] = float32(math.NaN()) },
		"a step of no bounds": func(trainer *train.Trainer) {
			batch := &train.Batch{Neighbours: true, Items: []train.Item{{Text: []byte("a")}, {Text: []byte("b")}, {Text: []byte("c")}, {Text: []byte("d")}}}
			_, err := trainer.Step(t.Context(), batch, &train.StepOptions{LearningRate: math.MaxFloat32})
			require.NoError(t, err)
			_, err = trainer.Step(t.Context(), batch, &train.StepOptions{LearningRate: math.MaxFloat32})
			require.ErrorIs(t, err, errors.ErrMalformed)
		},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := train.Fresh(bagConfig(), 1)
			require.NoError(t, err)
			trainer, err := train.New(file, &train.Options{Optimizer: model.Training{WeightDecay: 1000}})
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "run.safetensors")
			require.NoError(t, trainer.Save(path, nil))
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			diverge(trainer)
			require.ErrorIs(t, trainer.Save(path, nil), errors.ErrMalformed)
			var written bytes.Buffer
			require.ErrorIs(t, trainer.Write(&written), errors.ErrMalformed)
			require.Zero(t, written.Len())
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, before, after)
		})
	}
}
