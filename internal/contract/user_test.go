package contract_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/internal/lending"
	"github.com/unum-cloud/uform-go/uform"
)

// user is an implementation as package uform shows it, during one test. Its handles are closed when
// the test ends.
type user struct {
	*testing.T
	*implementation
	gates gates
}

// Cleanup closes handles, which waits for calls in flight.
func (u *user) Cleanup(close func()) { u.gates.cleanup(u.T, close) }

var background = context.Background()

// seat is an executor with a model and an arena that belong where it computes.
type seat struct {
	executor *uform.Executor
	model    *uform.Model
	arena    *uform.Arena
}

// seat makes an executor with its own thread or stream, and a model and an arena for it.
func (u *user) seat(c *checkpoint) seat {
	u.Helper()
	return u.seatOn(u.executor(), c)
}

func (u *user) seatOn(executor *uform.Executor, c *checkpoint) seat {
	u.Helper()
	return seat{executor, u.load(executor, c), u.arena(executor)}
}

// executor makes an executor that runs deferred calls by itself, where this implementation
// computes.
func (u *user) executor() *uform.Executor {
	u.Helper()
	if u.onDevice {
		return u.gpu()
	}
	return u.threads(&uform.ExecutorOptions{Threads: 1})
}

// holder makes an executor without threads of its own.
func (u *user) holder() *uform.Executor {
	u.Helper()
	return u.threads(&uform.ExecutorOptions{Threads: 1, WithCaller: true})
}

func (u *user) threads(options *uform.ExecutorOptions) *uform.Executor {
	u.Helper()
	executor, err := u.library.NewExecutor(options)
	require.NoError(u, err)
	u.Cleanup(func() { executor.Close() })
	return executor
}

func (u *user) gpu(devices ...int) *uform.Executor {
	u.Helper()
	executor, err := u.library.NewDeviceExecutor(&uform.DeviceExecutorOptions{Devices: devices})
	require.NoError(u, err)
	u.Cleanup(func() { executor.Close() })
	return executor
}

// load loads a checkpoint into the memory of an executor; nil is host pages.
func (u *user) load(executor *uform.Executor, c *checkpoint) *uform.Model {
	u.Helper()
	model, err := u.library.Load(background, c.path(u.T), &uform.LoadOptions{Executor: executor})
	require.NoError(u, err)
	u.Cleanup(func() { model.Close() })
	return model
}

func (u *user) arena(executor *uform.Executor) *uform.Arena {
	u.Helper()
	arena, err := u.library.NewArena(executor)
	require.NoError(u, err)
	u.Cleanup(func() { arena.Close() })
	return arena
}

// both asks for embeddings and states.
var both = &uform.TextOptions{Outputs: uform.Embeddings | uform.States}

// both asks for embeddings and states, and reports progress to a handler.
func (u *user) both(progress uform.Handler) *uform.TextOptions {
	return &uform.TextOptions{Outputs: uform.Embeddings | uform.States, Progress: progress}
}

// encode encodes on the seat's executor, blocking, and requires that it succeeds.
func (u *user) encode(s seat, texts ...string) uform.Encoded {
	u.Helper()
	encoded, err := s.model.On(s.executor).TextEncode(background, uform.Strings(texts), s.arena, both)
	require.NoError(u, err)
	return encoded
}

// gate is a progress handler that waits until it is opened.
func (u *user) gate() (*gate, uform.Handler) {
	g := u.gates.add()
	return g, func(int, int) error {
		g.report()
		return nil
	}
}

// running submits a call for both outputs, and returns when it waits at its gate.
func (u *user) running(s seat, texts ...string) (*deferred.Call[uform.Encoded], *gate) {
	u.Helper()
	g, handler := u.gate()
	call, err := s.model.Deferred(s.executor).TextEncode(background, uform.Strings(texts), s.arena, u.both(handler))
	require.NoError(u, err)
	comes(u.T, g.entered)
	return call, g
}

// wait requires that a call succeeds.
func (u *user) wait(call *deferred.Call[uform.Encoded]) uform.Encoded {
	u.Helper()
	comes(u.T, call.Done())
	encoded, err := call.Wait(background)
	require.NoError(u, err)
	return encoded
}

// read copies the outputs of a call in f32, from the host or from a device.
func (u *user) read(e uform.Encoded) encoded {
	u.Helper()
	states := e.States.Rows()
	return encoded{
		embeddings: u.floats(e.Embeddings), columns: e.Embeddings.Columns(),
		states: u.floats(states), width: states.Columns(),
		offsets: words(u.outputBytes(u.T, e.States.Offsets(), (e.States.Len()+1)*wordBytes)),
	}
}

// floats copies rows of f32, end to end.
func (u *user) floats(rows uform.Rows) []float32 {
	u.Helper()
	if u.onDevice {
		require.Equal(u, uform.F32, rows.Scalar())
		return floats(u.outputBytes(u.T, rows.Data(), rows.Len()*rows.Stride()))
	}
	copied, err := rows.Copy()
	require.NoError(u, err)
	var all []float32
	for _, row := range copied {
		all = append(all, row...)
	}
	return all
}

// handle returns the library's handle of an arena.
func (u *user) handle(arena *uform.Arena) abi.Arena {
	u.Helper()
	lease, err := (*lending.Arena)(arena).Begin("look at the arena")
	require.NoError(u, err)
	defer lease.End()
	lease.Refuse() // outputs stay valid
	return lease.Arena()
}

// encodesLike requires that the outputs for texts agree with the reference.
func (c *checkpoint) encodesLike(t *testing.T, texts []string, out encoded) {
	t.Helper()
	const tolerance = 1e-4
	require.Len(t, out.offsets, len(texts)+1)
	require.Zero(t, out.offsets[0])
	require.IsNonDecreasing(t, append(out.offsets, len(out.states)/out.width))
	for i, text := range texts {
		embedding, states := c.reference.encode(text)
		near(t, embedding, out.row(i), tolerance, "embedding of %q", text)
		got := out.item(i)
		require.Len(t, got, len(states), "states of %q", text)
		for j := range states {
			near(t, states[j], got[j], tolerance, "state %d of %q", j, text)
		}
	}
	require.Len(t, out.embeddings, len(texts)*out.columns)
	require.Len(t, out.states, out.offsets[len(texts)]*out.width)
}

// near requires that values lie within a tolerance of the wanted ones.
func near[Want float32 | float64](t *testing.T, want []Want, got []float32, tolerance float64, format string, values ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		if difference := float64(got[i]) - float64(w); !(difference <= tolerance && difference >= -tolerance) {
			require.Failf(t, "values differ", format+": column %d is %v, not %v", append(values, i, got[i], w)...)
		}
	}
}
