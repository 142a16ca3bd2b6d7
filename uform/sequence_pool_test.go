package uform_test

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/unum-cloud/uform-go/uform"
)

// What else a sequence is made of: pools, and handles that belong to another library.

func (m *machine) NewPool(t *rapid.T) {
	if m.onDevice {
		t.Skip("a pool's model lives in host pages")
	}
	if len(stillOpen(m.pools)) >= 2 {
		t.Skip("enough")
	}
	model := mostlyOpen(t, m.models, "model")
	pool, err := uform.NewPool(model.model, &uform.PoolOptions{Executors: rapid.IntRange(1, 2).Draw(t, "executors")})
	if model.closed {
		require.ErrorIs(t, err, uform.ErrClosed)
		return
	}
	require.NoError(t, err)
	m.pools = append(m.pools, &expectedPool{pool: pool, model: model})
}

// PoolEncode encodes on a pool, which has its own executors: it fails only for closed handles.
func (m *machine) PoolEncode(t *rapid.T) {
	pool := mostlyOpen(t, m.pools, "pool")
	b := m.drawBatch(t)
	var copied uform.Copied
	err := pool.pool.Do(background, func(on uform.On, into *uform.Arena) error {
		encoded, err := b.encode(on, into, nil)
		if err == nil {
			copied, err = encoded.Copy()
		}
		return err
	})
	if pool.closed || pool.model.closed {
		require.ErrorIs(t, err, uform.ErrClosed)
		return
	}
	require.NoError(t, err)
	for i, row := range copied.Embeddings {
		require.Equal(t, m.vector(b, i), row, "%v %d", b, i)
	}
}

func (m *machine) ClosePool(t *rapid.T) {
	rarely(t)
	pool := mostlyOpen(t, m.pools, "pool")
	require.NoError(t, pool.pool.Close())
	pool.closed = true
}

// Mix names handles of two libraries in one call, which is refused and changes nothing.
func (m *machine) Mix(t *rapid.T) {
	model, executor, arena := mostlyOpen(t, m.models, "model"), mostlyOpen(t, m.executors, "executor"), mostlyOpen(t, m.arenas, "arena")
	b := m.drawBatch(t)
	var err error
	switch rapid.IntRange(0, 3).Draw(t, "which is foreign") {
	case 0:
		_, err = b.encode(m.strangers.model.On(executor.executor), arena.arena, nil)
	case 1:
		_, err = b.encode(model.model.On(m.strangers.executor), arena.arena, nil)
	case 2:
		_, err = b.submit(model.model.Deferred(executor.executor), m.strangers.arena)
	case 3:
		_, err = m.library.NewArena(m.strangers.executor)
	}
	require.ErrorIs(t, err, uform.ErrInvalidArgument)
}
