package uform_test

import (
	"errors"
	"math"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/unum-cloud/uform-go/uform"
)

// What a sequence is made of, besides making and closing handles: calls, and reading what they
// left.

func (m *machine) Encode(t *rapid.T) {
	model, executor, arena := m.drawPlace(t)
	b := m.drawBatch(t)
	encoded, err := b.encode(receiverOf(model, executor), arena.arena, nil)
	if want := m.refusal(model, executor, arena); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	require.NoError(t, err)
	m.rewound(executor, arena)
	m.rows = append(m.rows, &expectedRows{encoded.Embeddings, arena, arena.generation, b})
}

// receiverOf is the blocking receiver of a model on an executor, the calling thread where that is
// nil.
func receiverOf(model *expectedModel, executor *expectedExecutor) encoder {
	if executor == nil {
		return model.model
	}
	return model.model.On(executor.executor)
}

// EncodeMalformed has a malformed item after a valid one.
func (m *machine) EncodeMalformed(t *rapid.T) {
	model, executor, arena := m.drawPlace(t)
	on, err := receiverOf(model, executor), error(nil)
	switch kind := rapid.SampledFrom(m.kinds).Draw(t, "kind"); kind {
	case "image":
		_, err = on.ImageEncode(background, uform.Strings([]string{"", "no picture"}), arena.arena, nil)
	case "audio":
		_, err = on.AudioEncode(background, uform.Strings([]string{"", "no sound"}), arena.arena, nil)
	case "samples":
		_, err = on.AudioEncodeSamples(background, uform.Recordings(0, nil, []float32{float32(math.NaN())}), arena.arena, nil)
	default:
		_, err = on.TextEncode(background, uform.Strings([]string{"fine", "\xff"}), arena.arena, nil)
	}
	if want := m.refusal(model, executor, arena); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	require.ErrorIs(t, err, uform.ErrMalformed)
	var failure *uform.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 1, failure.Item)
	m.rewound(executor, arena)
}

// drawPlace draws the handles of a blocking call; a nil executor is the calling thread.
func (m *machine) drawPlace(t *rapid.T) (*expectedModel, *expectedExecutor, *expectedArena) {
	model, arena := mostlyOpen(t, m.models, "model"), mostlyOpen(t, m.arenas, "arena")
	if rapid.Bool().Draw(t, "bare") {
		return model, nil, arena
	}
	return model, mostlyOpen(t, m.executors, "executor"), arena
}

// rewound records that a call has rewound the arena, however it ended.
func (m *machine) rewound(executor *expectedExecutor, arena *expectedArena) {
	if executor != nil {
		m.run(executor.held)
	}
	arena.generation++
}

// EncodeStopped has a handler that stops the call at its first report, by an error or by a panic.
func (m *machine) EncodeStopped(t *rapid.T) {
	model, executor, arena := m.drawPlace(t)
	reason, panics := errors.New("enough"), rapid.Bool().Draw(t, "panics")
	stop := func(int, int) error {
		if panics {
			panic(reason)
		}
		return reason
	}
	b := m.drawBatch(t)
	encode := func() (err error) {
		defer func() {
			if raised := recover(); raised != nil {
				err = raised.(*uform.PanicError)
			}
		}()
		_, err = b.encode(receiverOf(model, executor), arena.arena, stop)
		return err
	}
	err := encode()
	if want := m.refusal(model, executor, arena); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	require.ErrorIs(t, err, reason)
	var raised *uform.PanicError
	require.Equal(t, panics, errors.As(err, &raised))
	require.Equal(t, !panics, errors.Is(err, uform.ErrCancelled))
	m.rewound(executor, arena)
}

func (m *machine) Choose(t *rapid.T) {
	model, executor, arena := m.drawPlace(t)
	texts := drawTexts(t)
	choices := uform.Strings(slices.Repeat([]string{"yn"}, len(texts)))
	var chosen uform.Chosen
	var err error
	if executor == nil {
		chosen, err = model.model.TextChoose(background, uform.Strings(texts), choices, arena.arena, nil)
	} else {
		chosen, err = model.model.On(executor.executor).TextChoose(background, uform.Strings(texts), choices, arena.arena, nil)
	}
	if want := m.refusal(model, executor, arena); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	require.NoError(t, err)
	m.rewound(executor, arena)
	if m.onDevice {
		return
	}
	probabilities, err := chosen.Copy()
	require.NoError(t, err)
	for _, p := range probabilities {
		require.InDelta(t, 1, p[0]+p[1], 1e-5)
	}
}

func (m *machine) Embed(t *rapid.T) {
	model := mostlyOpen(t, m.models, "model")
	texts := drawTexts(t)
	embedded, err := model.model.Embed(background, texts)
	switch {
	case model.closed:
		require.ErrorIs(t, err, uform.ErrClosed)
	case m.onDevice:
		require.ErrorIs(t, err, uform.ErrDevice)
	default:
		require.NoError(t, err)
		for i, text := range texts {
			require.Equal(t, m.vectors["text/"+text], embedded[i])
		}
	}
}

func (m *machine) Describe(t *rapid.T) {
	described := func(closed bool, err error) {
		if closed {
			require.ErrorIs(t, err, uform.ErrClosed)
		} else {
			require.NoError(t, err)
		}
	}
	executor, arena := mostlyOpen(t, m.executors, "executor"), mostlyOpen(t, m.arenas, "arena")
	_, err := executor.executor.Describe()
	described(executor.closed, err)
	_, err = arena.arena.Describe()
	described(arena.closed, err)
	model := mostlyOpen(t, m.models, "model")
	_, err = model.model.On(executor.executor).Describe(background)
	described(model.closed || executor.closed, err)
	if !model.closed && !executor.closed {
		m.run(executor.held)
	}
}

func (m *machine) Submit(t *rapid.T) {
	model, arena, executor := mostlyOpen(t, m.models, "model"), mostlyOpen(t, m.arenas, "arena"), mostlyOpen(t, m.executors, "executor")
	b := m.drawBatch(t)
	call, err := b.submit(model.model.Deferred(executor.executor), arena.arena)
	if want := m.refusal(model, executor, arena); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	if executor.held != nil {
		require.ErrorIs(t, err, uform.ErrContended)
		return
	}
	require.NoError(t, err)
	arena.generation++
	c := &expectedCall{
		wait: func() (uform.Rows, error) {
			encoded, err := call.Wait(background)
			return encoded.Embeddings, err
		},
		status: call.Status, executor: executor, arena: arena, model: model, batch: b, generation: arena.generation,
	}
	executor.held, arena.lent = c, c
	m.calls = append(m.calls, c)
	if m.onDevice {
		<-call.Done()
		m.run(c)
	}
}

func (m *machine) Wait(t *rapid.T) {
	c := pick(t, m.calls, "call")
	rows, err := c.wait()
	require.NoError(t, err)
	m.run(c)
	if c.trainer != nil {
		return
	}
	m.rows = append(m.rows, &expectedRows{rows, c.arena, c.generation, c.batch})
}

func (m *machine) Drain(t *rapid.T) {
	executor := mostlyOpen(t, m.executors, "executor")
	err := executor.executor.Drain()
	if executor.closed {
		require.ErrorIs(t, err, uform.ErrClosed)
		return
	}
	require.NoError(t, err)
	m.run(executor.held)
}

func (m *machine) Read(t *rapid.T) {
	r := pick(t, m.rows, "rows")
	copied, err := r.rows.Copy()
	if m.onDevice {
		require.ErrorIs(t, err, uform.ErrDevice)
		return
	}
	if r.arena.closed || r.generation != r.arena.generation {
		require.ErrorIs(t, err, uform.ErrInvalidArgument)
		return
	}
	require.NoError(t, err)
	require.Len(t, copied, len(r.batch.names))
	for i := range copied {
		require.Equal(t, m.vector(r.batch, i), copied[i], "%v %d", r.batch, i)
	}
}

func (m *machine) Pin(t *rapid.T) {
	r := pick(t, m.rows, "rows")
	pin, err := r.rows.Pin()
	if m.onDevice {
		require.ErrorIs(t, err, uform.ErrDevice)
		return
	}
	if r.arena.closed || r.generation != r.arena.generation {
		require.ErrorIs(t, err, uform.ErrInvalidArgument)
		return
	}
	require.NoError(t, err)
	b := r.batch
	r.arena.pins = append(r.arena.pins, func() {
		for i := range b.names {
			row, err := pin.Float32s(i)
			require.NoError(t, err)
			require.Equal(t, m.vector(b, i), row, "pinned memory does not change")
		}
		pin.Release()
	})
}

func (m *machine) Release(t *rapid.T) {
	arena := mostlyOpen(t, m.arenas, "arena")
	if len(arena.pins) == 0 {
		t.Skip("not pinned")
	}
	i := rapid.IntRange(0, len(arena.pins)-1).Draw(t, "pin")
	arena.pins[i]()
	arena.pins = slices.Delete(arena.pins, i, i+1)
}
