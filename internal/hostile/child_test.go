//go:build unix

package hostile_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

const (
	// shortInputs is the number of inputs of a kind in the short form.
	shortInputs = 250
	// checkEvery is the number of inputs after which a valid one is tried.
	checkEvery = 50
	// childVariable names the file that holds the current input, in the process that runs the
	// inputs.
	childVariable = "UFORM_HOSTILE_CHILD"
)

// No mutated checkpoint, file or tape ends the process, hangs, takes more memory than the bound of
// its kind, or returns an error of another kind than bad input does.
func TestHostile(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			for _, name := range kind.implementations {
				t.Run(name, func(t *testing.T) {
					if current := os.Getenv(childVariable); current != "" {
						kind.takeAll(t, open(t, name), current)
						return
					}
					if name == "native" {
						loadertest.Need(t)
					}
					supervise(t)
				})
			}
		})
	}
}

// supervise runs the test in a process of its own, and keeps the input if one ends the process.
func supervise(t *testing.T) {
	t.Logf("for %v", longTime()) // read here too, so that go test does not reuse a cached result
	current := filepath.Join(t.TempDir(), "current")
	command := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v", "-test.timeout=0")
	command.Env = append(os.Environ(), childVariable+"="+current)
	printed, err := command.CombinedOutput()
	if err != nil {
		input, _ := os.ReadFile(current)
		kept := filepath.Join(os.TempDir(), fmt.Sprintf("hostile-%s-%x", strings.ReplaceAll(t.Name()[len("TestHostile/"):], "/", "-"), sum(input)))
		require.NoError(t, os.WriteFile(kept, input, 0o600))
		require.NoError(t, err, "the input is kept in %s\n%s", kept, printed)
	}
	require.Contains(t, string(printed), "--- PASS: "+t.Name())
	for line := range strings.Lines(string(printed)) {
		if strings.Contains(line, "_test.go:") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func sum(data []byte) uint64 {
	hash := fnv.New64a()
	hash.Write(data)
	return hash.Sum64()
}

func open(t *testing.T, name string) target {
	library := uform.OpenTable(hooks.With(hooks.Engine{PoisonRewound: true}, engine.New))
	if name == "native" {
		var err error
		library, err = uform.Open(&uform.OpenOptions{Path: loadertest.Need(t)})
		require.NoError(t, err)
	}
	model, err := mini.Load(background, library, nil)
	require.NoError(t, err)
	executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 1, WithCaller: true})
	require.NoError(t, err)
	arena, err := library.NewArena(executor)
	require.NoError(t, err)
	return target{library, model, executor, arena}
}

// takeAll runs the target on the findings of earlier runs and then on mutated inputs. It first
// writes each to the file at current.
func (k *kind) takeAll(t *testing.T, on target, current string) {
	keep, err := os.Create(current)
	require.NoError(t, err)
	defer keep.Close()
	good := []string{"a cat on a mat", ""}
	want, err := on.model.Embed(background, good)
	require.NoError(t, err)

	var watched watch
	go watched.guard()
	var answered, refused int
	var slowest time.Duration
	take := func(data []byte) {
		require.NoError(t, keep.Truncate(0))
		_, err := keep.WriteAt(data, 0)
		require.NoError(t, err)
		watched.begin(len(data))
		err = k.take(t, on, data)
		slowest = max(slowest, watched.end())
		if err == nil {
			answered++
			return
		}
		refused++
		require.True(t, known(err) || k.also != nil && errors.Is(err, k.also), "%v", err)
		var failure *uform.Error
		require.True(t, errors.As(err, &failure), "%v", err)
		require.NotContains(t, err.Error(), "runtime error", "a decoder panicked")
	}
	findings, err := filepath.Glob(filepath.Join("testdata", "findings", k.name, "*"))
	require.NoError(t, err)
	for _, path := range findings {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		take(data)
	}
	if k.crafted != nil {
		for _, data := range k.crafted() {
			take(data)
		}
	}
	seed := uint64(1)
	if longTime() > 0 {
		seed = uint64(time.Now().UnixNano())
	}
	mutator := k.mutator(t, rand.New(rand.NewPCG(seed, 5)))
	begin, count := time.Now(), 0
	for ; longTime() == 0 && count < shortInputs || time.Since(begin) < longTime(); count++ {
		take(mutator.next())
		if count%checkEvery == 0 {
			got, err := on.model.Embed(background, good)
			require.NoError(t, err)
			require.True(t, slices.EqualFunc(want, got, slices.Equal), "a valid input has another result after invalid ones")
		}
	}
	var used unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &used))
	t.Logf("seed %d: %d inputs and %d findings: %d served, %d refused; the slowest took %v; %d MiB at the peak",
		seed, count, len(findings), answered, refused, slowest.Round(time.Microsecond), peak(&used)>>20)
	require.LessOrEqual(t, peak(&used)>>20, k.mebibytes)
	require.NoError(t, on.arena.Close())
	require.NoError(t, on.executor.Close())
	require.NoError(t, on.model.Close())
}

// watch measures the processor time of one input at a time. Other processes on the machine do not
// count.
type watch struct {
	began, allowed atomic.Int64 // nanoseconds; allowed is 0 between inputs
}

// processor is the processor time of the process so far.
func processor() time.Duration {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func (w *watch) begin(size int) {
	w.began.Store(int64(processor()))
	w.allowed.Store(int64(time.Second) * int64(1+size/1024))
}

// end returns how long the input took.
func (w *watch) end() time.Duration {
	took, allowed := int64(processor())-w.began.Load(), w.allowed.Swap(0)
	if took > allowed {
		panic(fmt.Sprintf("the input took %v of processor time where %v are allowed", time.Duration(took), time.Duration(allowed)))
	}
	return time.Duration(took)
}

// guard ends the process if an input does not end.
func (w *watch) guard() {
	for {
		time.Sleep(time.Second)
		if allowed := w.allowed.Load(); allowed > 0 && int64(processor())-w.began.Load() > 2*allowed {
			panic("the input hangs")
		}
	}
}
