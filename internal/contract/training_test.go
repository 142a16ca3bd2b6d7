package contract_test

import (
	"bytes"
	stderrors "errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/uform"
)

func twoReceivers(u *user) {
	trainer, executor := u.run(full())
	arena := u.arena(executor)
	on, later := trainer.On(executor), trainer.Deferred(executor)
	require.Same(u, trainer, on.Trainer())
	require.Same(u, executor, on.Executor())
	require.Same(u, trainer, later.Trainer())
	require.Same(u, executor, later.Executor())
	require.LessOrEqual(u, reflect.TypeOf(on).Size(), uintptr(2*wordBytes))
	require.LessOrEqual(u, reflect.TypeOf(later).Size(), uintptr(2*wordBytes))
	_, bare := reflect.TypeFor[*uform.Trainer]().MethodByName("Step")
	require.False(u, bare, "a trainer has no receiver without an executor")

	// Deferred calls return the same as blocking ones, but copy the inputs.
	same, _ := u.run(full())
	want, err := same.On(executor).Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
	require.NoError(u, err)
	examples := uform.Examples{
		Contents:   uform.Strings(pairs),
		Modalities: make([]uform.Modality, len(pairs)),
		Groups:     []uint32{1, 1, 2, 2, 3, 3},
	}
	g, handler := u.gate()
	call, err := later.Step(background, examples, arena, &uform.StepOptions{Progress: handler})
	require.NoError(u, err)
	clear(examples.Contents.Data)
	clear(examples.Groups)
	examples.Modalities[0] = uform.Image
	comes(u.T, g.entered)
	require.ErrorIs(u, call.Status(), uform.ErrDeferred)
	_, err = on.Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
	require.ErrorIs(u, err, uform.ErrContended)
	_, err = later.Save(background, "never", nil)
	require.ErrorIs(u, err, uform.ErrContended)
	g.Open()
	comes(u.T, call.Done())
	got, err := call.Wait(background)
	require.NoError(u, err)
	require.InDelta(u, want.Loss, got.Loss, 1e-5)
	require.Equal(u, len(pairs), got.Embeddings.Len())

	path := filepath.Join(u.TempDir(), "run.safetensors")
	saved, err := later.Save(background, path, nil)
	require.NoError(u, err)
	comes(u.T, saved.Done())
	_, err = saved.Wait(background)
	require.NoError(u, err)
	require.FileExists(u, path)
	u.handlersOfTraining(on)
}

// handlersOfTraining shows that a handler stops a step and a save, and that its panic resurfaces;
// the run continues as if nothing had happened.
func (u *user) handlersOfTraining(on uform.TrainerOn) {
	u.Helper()
	before, err := on.Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
	require.NoError(u, err)
	enough := stderrors.New("enough")
	stop := func(int, int) error { return enough }
	_, err = on.Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, &uform.StepOptions{Progress: stop})
	require.ErrorIs(u, err, uform.ErrCancelled)
	require.ErrorIs(u, err, enough)
	path := filepath.Join(u.TempDir(), "stopped.safetensors")
	err = on.Save(background, path, &uform.SaveOptions{Progress: stop})
	require.ErrorIs(u, err, uform.ErrCancelled)
	require.NoFileExists(u, path)
	func() {
		defer func() {
			raised, _ := recover().(*deferred.PanicError)
			require.NotNil(u, raised)
			require.Equal(u, "of the handler", raised.Value)
		}()
		_, _ = on.Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, &uform.StepOptions{Progress: func(int, int) error {
			panic("of the handler")
		}})
	}()
	after, err := on.Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
	require.NoError(u, err)
	require.Equal(u, before.Step+1, after.Step)
}

// closingATrainerWaits is D10 for trainers.
func closingATrainerWaits(u *user) {
	trainer, executor := u.run(full())
	g, handler := u.gate()
	call, err := trainer.Deferred(executor).Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, &uform.StepOptions{Progress: handler})
	require.NoError(u, err)
	comes(u.T, g.entered)
	closed := make(chan struct{})
	go func() {
		trainer.Close()
		close(closed)
	}()
	stays(u.T, closed)
	g.Open()
	comes(u.T, closed)
	_, err = call.Wait(background)
	require.NoError(u, err)
	require.NoError(u, trainer.Close())
	_, err = trainer.On(executor).Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
}

// savesTo, if set, makes TestSavesForEver the process that is killed: an implementation and a path.
const savesTo = "UFORM_TEST_SAVES_TO"

// TestKilledSaves shows V15 for a process that is killed at any moment while it saves: the path has
// the old file or the new one, complete. UFORM_LONG kills it 200 times.
func TestKilledSaves(t *testing.T) {
	times := 10
	if os.Getenv("UFORM_LONG") != "" {
		times = 200
	}
	for _, opener := range openers {
		t.Run(opener.name, func(t *testing.T) {
			on, missing := opener.open(t)
			if missing != "" {
				t.Log("not run: " + missing)
				return
			}
			on.name = opener.name
			u := &user{T: t, implementation: on}
			executor := u.executor()
			random := rand.New(rand.NewPCG(3, 3))
			path, last := full().path(t), uint64(0)
			for range times {
				child := exec.Command(os.Args[0], "-test.run", "TestSavesForEver")
				child.Env = append(os.Environ(), savesTo+"="+on.name+"="+path)
				var faults bytes.Buffer
				child.Stderr = &faults
				out, err := child.StdoutPipe()
				require.NoError(t, err)
				require.NoError(t, child.Start())
				said := make([]byte, 5)
				_, heard := out.Read(said)
				time.Sleep(time.Duration(random.IntN(20_000)) * time.Microsecond)
				_ = child.Process.Kill()
				_ = child.Wait() // only then is its standard error complete
				require.NoError(t, heard, faults.String())
				require.Equal(t, "saved", string(said))
				model, err := u.library.Load(background, path, &uform.LoadOptions{Executor: executor})
				require.NoError(t, err, "neither the file before nor the one after")
				require.NoError(t, model.Close())
				trainer := u.runFrom(executor, path)
				stepped, err := trainer.On(executor).Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
				require.NoError(t, err)
				require.Greater(t, stepped.Step, last+1)
				last = stepped.Step - 1
			}
		})
	}
}

// TestSavesForEver makes steps and saves until TestKilledSaves, which starts it, kills it.
func TestSavesForEver(t *testing.T) {
	name, path, asked := strings.Cut(os.Getenv(savesTo), "=")
	if !asked {
		return
	}
	for _, opener := range openers {
		if opener.name != name {
			continue
		}
		on, missing := opener.open(t)
		require.Empty(t, missing)
		u := &user{T: t, implementation: on}
		executor := u.executor()
		trainer := u.runFrom(executor, path).On(executor)
		for told := false; ; told = true {
			_, err := trainer.Step(background, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
			require.NoError(t, err)
			require.NoError(t, trainer.Save(background, path, nil))
			if !told {
				fmt.Println("saved")
			}
		}
	}
}
