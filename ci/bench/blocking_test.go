//go:build linux

package bench_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/ci/bench/crossing"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// A blocking verb that does no work: the benchmarks measure the call itself. Every route calls the
// same function with the same arguments, which are in one pinned object, as cgo requires of
// arguments that point at others.

// BenchmarkBlockingNothing calls a verb of four stores.
func BenchmarkBlockingNothing(b *testing.B) {
	l := measuring(b)
	box := newDescribing(b, 0)
	routes[abi.ArenaDescribe]{
		table: l.ArenaDescribe, address: l.symbol(b, "uform_arena_describe"), arguments: &box.arguments,
		compiled: crossing.Nothing, final: &box.outcome,
	}.run(b)
}

// BenchmarkBlockingDescribe calls uform_arena_describe of the C library.
func BenchmarkBlockingDescribe(b *testing.B) {
	l := openLibrary(b, loadertest.Need(b))
	box := newDescribing(b, newArena(b, l))
	routes[abi.ArenaDescribe]{
		table: l.ArenaDescribe, address: l.symbol(b, "uform_arena_describe"), arguments: &box.arguments,
		final: &box.outcome,
	}.run(b)
}

// BenchmarkBlockingEncode calls uform_text_encode of the C library with no texts.
func BenchmarkBlockingEncode(b *testing.B) {
	l := openLibrary(b, loadertest.Need(b))
	model := loadModel(b, l)
	box := new(struct {
		outcome    abi.Outcome
		arguments  abi.TextEncode
		_          [abi.ReservedTail]byte
		embeddings abi.RowsView
	})
	pin(b, box)
	box.arguments = abi.TextEncode{
		Model: model, Outcome: &box.outcome, Completion: abi.CompletionBlocking, Arena: newArena(b, l),
		Embeddings: &box.embeddings,
	}
	routes[abi.TextEncode]{
		table: l.TextEncode, address: l.symbol(b, "uform_text_encode"), arguments: &box.arguments, final: &box.outcome,
	}.run(b)
}

// BenchmarkBlockingModel is the same call as a program makes it: Model.TextEncode, which checks its
// arguments, holds the model and the arena open, and observes the context.
func BenchmarkBlockingModel(b *testing.B) {
	encode := encoding(b, uform.Tape{})
	b.ReportAllocs()
	b.ResetTimer()
	before := spent(b)
	for range b.N {
		encode()
	}
	reportSpent(b, spent(b)-before)
}

// reportSpent reports the processor time of a call, the figure to use on a machine that does other
// work too.
func reportSpent(b *testing.B, spent time.Duration) {
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "cpu-ns/op")
}

// routes are the ways to one verb.
type routes[Arguments any] struct {
	table     func(*Arguments)
	address   uintptr
	arguments *Arguments
	// compiled is the verb compiled into the program, nil if it is only in the shared library.
	compiled func(unsafe.Pointer)
	// final is where the verb stores its outcome.
	final *abi.Outcome
}

func (r routes[Arguments]) run(b *testing.B) {
	measure := func(name string, times func(count int)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r.final.Status = abi.StatusUnknown
			b.ResetTimer()
			before := spent(b)
			times(b.N)
			reportSpent(b, spent(b)-before)
			b.StopTimer()
			require.Equal(b, abi.StatusSuccess, r.final.Status, "the verb did not run")
		})
	}
	inC := loop(b)
	measure("loop-in-C", func(count int) { inC(r.address, uintptr(unsafe.Pointer(r.arguments)), count) })
	measure("table", func(count int) {
		for range count {
			r.table(r.arguments)
		}
	})
	if crossing.Linked {
		call := r.compiled
		if call == nil {
			call = func(arguments unsafe.Pointer) { crossing.At(r.address, arguments) }
		}
		measure("cgo", func(count int) {
			for range count {
				call(unsafe.Pointer(r.arguments))
			}
		})
	}
	measure("SyscallN", func(count int) {
		for range count {
			purego.SyscallN(r.address, uintptr(unsafe.Pointer(r.arguments)))
		}
	})
}

// describing is the memory that uform_arena_describe reads and writes.
type describing struct {
	outcome     abi.Outcome
	description abi.ArenaDescription
	arguments   abi.ArenaDescribe
	_           [abi.ReservedTail]byte
}

func newDescribing(t testing.TB, arena abi.Arena) *describing {
	box := new(describing)
	pin(t, box)
	box.arguments = abi.ArenaDescribe{Arena: arena, Outcome: &box.outcome, Description: &box.description}
	return box
}

// pin pins the target of a pointer until the benchmark ends.
func pin(t testing.TB, box any) {
	pinner := new(runtime.Pinner)
	pinner.Pin(box)
	t.Cleanup(pinner.Unpin)
}

func newArena(t testing.TB, l library) abi.Arena {
	box := new(struct {
		arena     abi.Arena
		outcome   abi.Outcome
		arguments abi.ArenaInit
		_         [abi.ReservedTail]byte
	})
	box.outcome.Status = abi.StatusUnknown
	box.arguments = abi.ArenaInit{Arena: &box.arena, Outcome: &box.outcome}
	l.ArenaInit(&box.arguments)
	require.Equal(t, abi.StatusSuccess, box.outcome.Status)
	t.Cleanup(func() { l.ArenaFree(box.arena) })
	return box.arena
}

func loadModel(t testing.TB, l library) abi.Model {
	path := filepath.Join(t.TempDir(), "mini.safetensors")
	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	box := new(struct {
		model     abi.Model
		outcome   abi.Outcome
		arguments abi.ModelLoad
		_         [abi.ReservedTail]byte
	})
	box.outcome.Status = abi.StatusUnknown
	box.arguments = abi.ModelLoad{Model: &box.model, Outcome: &box.outcome, Path: abi.CText(path)}
	l.ModelLoad(&box.arguments)
	require.Equal(t, abi.StatusSuccess, box.outcome.Status)
	t.Cleanup(func() { l.ModelFree(box.model) })
	return box.model
}

// encoding returns Model.TextEncode of the C library, with a tape and an arena that are ready.
func encoding(t testing.TB, texts uform.Tape) func() {
	native, err := uform.Open(&uform.OpenOptions{Path: loadertest.Need(t)})
	require.NoError(t, err)
	model, err := mini.Load(t.Context(), native, nil)
	require.NoError(t, err)
	arena, err := native.NewArena(nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, arena.Close())
		require.NoError(t, model.Close())
	})
	ctx := context.Background()
	return func() {
		if _, err := model.TextEncode(ctx, texts, arena, nil); err != nil {
			t.Error(err)
		}
	}
}
