package uform_test

import (
	"errors"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/unum-cloud/uform-go/uform"
)

// What a sequence is made of, besides making and closing handles: calls, and reading what they left.

func (m *machine) Encode(t *rapid.T) {
	model, arena := mostlyOpen(t, m.models, "model"), mostlyOpen(t, m.arenas, "arena")
	texts := drawTexts(t)
	var executor *expectedExecutor
	var encoded uform.Encoded
	var err error
	if rapid.Bool().Draw(t, "bare") {
		encoded, err = model.model.TextEncode(background, uform.Strings(texts), arena.arena, nil)
	} else {
		executor = mostlyOpen(t, m.executors, "executor")
		encoded, err = model.model.On(executor.executor).TextEncode(background, uform.Strings(texts), arena.arena, nil)
	}
	if want := m.refusal(model, executor, arena); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	require.NoError(t, err)
	if executor != nil {
		m.run(executor.held)
	}
	arena.generation++
	m.rows = append(m.rows, &expectedRows{encoded.Embeddings, arena, arena.generation, texts})
}

func (m *machine) EncodeMalformed(t *rapid.T) {
	model, arena := mostlyOpen(t, m.models, "model"), mostlyOpen(t, m.arenas, "arena")
	_, err := model.model.TextEncode(background, uform.Strings([]string{"fine", "\xff"}), arena.arena, nil)
	if want := m.refusal(model, nil, arena); want != nil {
		require.ErrorIs(t, err, want)
		return
	}
	require.ErrorIs(t, err, uform.ErrMalformed)
	arena.generation++
}

// drawPlace draws what a blocking call names, the executor nil for the calling thread.
func (m *machine) drawPlace(t *rapid.T) (*expectedModel, *expectedExecutor, *expectedArena) {
	model, arena := mostlyOpen(t, m.models, "model"), mostlyOpen(t, m.arenas, "arena")
	if rapid.Bool().Draw(t, "bare") {
		return model, nil, arena
	}
	return model, mostlyOpen(t, m.executors, "executor"), arena
}

// rewound is what a call that got as far as the arena has changed, however it ended.
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
	options := &uform.TextOptions{Progress: func(int, int) error {
		if panics {
			panic(reason)
		}
		return reason
	}}
	texts := uform.Strings(drawTexts(t))
	encode := func() (err error) {
		defer func() {
			if raised := recover(); raised != nil {
				err = raised.(*uform.PanicError)
			}
		}()
		if executor == nil {
			_, err = model.model.TextEncode(background, texts, arena.arena, options)
		} else {
			_, err = model.model.On(executor.executor).TextEncode(background, texts, arena.arena, options)
		}
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
			require.Equal(t, m.vectors[text], embedded[i])
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
	texts := drawTexts(t)
	call, err := model.model.Deferred(executor.executor).TextEncode(background, uform.Strings(texts), arena.arena, nil)
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
		status: call.Status, executor: executor, arena: arena, model: model, texts: texts, generation: arena.generation,
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
	m.rows = append(m.rows, &expectedRows{rows, c.arena, c.generation, c.texts})
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
	require.Len(t, copied, len(r.texts))
	for i, text := range r.texts {
		require.Equal(t, m.vectors[text], copied[i], "%q", text)
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
	texts := r.texts
	r.arena.pins = append(r.arena.pins, func() {
		for i, text := range texts {
			row, err := pin.Float32s(i)
			require.NoError(t, err)
			require.Equal(t, m.vectors[text], row, "pinned memory does not change")
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
