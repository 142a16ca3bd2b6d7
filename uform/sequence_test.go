package uform_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// The reference below is what a user has to know of the library to foresee what any sequence of
// operations does. Random sequences run against it and against an implementation; a difference is
// shrunk to the shortest sequence that shows it. Executors have no threads of their own, so that
// when a deferred call runs is foreseeable too.

// expected is the reference's state of an executor, an arena or a model.
type expectedExecutor struct {
	executor *uform.Executor
	closed   bool
	held     *expectedCall
}

type expectedArena struct {
	arena      *uform.Arena
	maker      *expectedExecutor
	closed     bool
	lent       *expectedCall
	pins       []func()
	generation int
}

type expectedModel struct {
	model  *uform.Model
	closed bool
}

type expectedCall struct {
	wait       func() (uform.Rows, error)
	status     func() error
	executor   *expectedExecutor
	arena      *expectedArena
	model      *expectedModel
	trainer    *expectedTrainer // has neither model nor arena
	batch      batch
	final      bool
	generation int
}

// expectedRows are rows that a call returned.
type expectedRows struct {
	rows       uform.Rows
	arena      *expectedArena
	generation int
	batch      batch
}

type expectedPool struct {
	pool   *uform.Pool
	model  *expectedModel
	closed bool
}

// strangers are the open handles of another library.
type strangers struct {
	model    *uform.Model
	executor *uform.Executor
	arena    *uform.Arena
}

type machine struct {
	library   *uform.Library
	strangers strangers
	// onDevice says that executors are a GPU's. They have threads of their own, so a submitted call
	// is waited for at once.
	onDevice  bool
	executors []*expectedExecutor
	arenas    []*expectedArena
	models    []*expectedModel
	calls     []*expectedCall
	rows      []*expectedRows
	pools     []*expectedPool
	trainers  []*expectedTrainer
	folder    string
	// vectors are the library's vectors for each material, kinds the kinds of material.
	vectors map[string][]float32
	kinds   []string
}

func (m *machine) run(c *expectedCall) {
	if c == nil || c.final {
		return
	}
	c.final = true
	c.executor.held = nil
	if c.trainer != nil {
		c.trainer.held = nil
		c.trainer.steps++
		return
	}
	c.arena.lent = nil
}

// pick draws one of the existing elements, or skips the action.
func pick[T any](t *rapid.T, things []T, name string) T {
	if len(things) == 0 {
		t.Skip("none yet")
	}
	return things[rapid.IntRange(0, len(things)-1).Draw(t, name)]
}

// closable is an executor, an arena or a model.
type closable interface{ isClosed() bool }

func (e *expectedExecutor) isClosed() bool { return e.closed }
func (a *expectedArena) isClosed() bool    { return a.closed }
func (m *expectedModel) isClosed() bool    { return m.closed }
func (p *expectedPool) isClosed() bool     { return p.closed }

func stillOpen[T closable](things []T) []T {
	return slices.DeleteFunc(slices.Clone(things), func(thing T) bool { return thing.isClosed() })
}

// mostlyOpen mostly draws an open one: sequences of refusals alone test little.
func mostlyOpen[T closable](t *rapid.T, things []T, name string) T {
	if rapid.IntRange(0, 9).Draw(t, "any "+name) > 0 {
		things = stillOpen(things)
	}
	return pick(t, things, name)
}

// rarely skips most of the time.
func rarely(t *rapid.T) {
	if rapid.IntRange(0, 4).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
}

func drawTexts(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom(materials["text"]), 0, 4).Draw(t, "texts")
}

func (m *machine) NewExecutor(t *rapid.T) {
	if len(stillOpen(m.executors)) >= 2 {
		t.Skip("enough")
	}
	m.newExecutor(t)
}

func (m *machine) newExecutor(t *rapid.T) {
	var executor *uform.Executor
	var err error
	if m.onDevice {
		executor, err = m.library.NewDeviceExecutor(nil)
	} else {
		executor, err = m.library.NewExecutor(heldOptions)
	}
	require.NoError(t, err)
	m.executors = append(m.executors, &expectedExecutor{executor: executor})
}

func (m *machine) NewArena(t *rapid.T) {
	if len(stillOpen(m.arenas)) >= 3 {
		t.Skip("enough")
	}
	m.newArena(t, mostlyOpen(t, m.executors, "executor"))
}

func (m *machine) newArena(t *rapid.T, e *expectedExecutor) {
	arena, err := m.library.NewArena(e.executor)
	if e.closed {
		require.ErrorIs(t, err, uform.ErrClosed)
		return
	}
	require.NoError(t, err)
	m.arenas = append(m.arenas, &expectedArena{arena: arena, maker: e})
}

func (m *machine) LoadModel(t *rapid.T) {
	if len(stillOpen(m.models)) >= 2 {
		t.Skip("enough")
	}
	m.loadModel(t)
}

func (m *machine) loadModel(t *rapid.T) {
	options := new(uform.LoadOptions)
	if m.onDevice {
		options.Executor = pick(t, stillOpen(m.executors), "executor").executor
	}
	model, err := mini.Load(background, m.library, options)
	require.NoError(t, err)
	m.models = append(m.models, &expectedModel{model: model})
}

// refusal returns why a call that names these is refused, nil if it is not.
func (m *machine) refusal(model *expectedModel, executor *expectedExecutor, arena *expectedArena) error {
	switch {
	case model.closed, executor != nil && executor.closed, arena.closed:
		return uform.ErrClosed
	case arena.lent != nil, len(arena.pins) > 0:
		return uform.ErrContended
	case m.onDevice && executor != arena.maker:
		return uform.ErrDevice
	}
	return nil
}

func (m *machine) CloseExecutor(t *rapid.T) {
	rarely(t)
	executor := mostlyOpen(t, m.executors, "executor")
	require.NoError(t, executor.executor.Close())
	m.run(executor.held)
	executor.closed = true
}

func (m *machine) CloseArena(t *rapid.T) {
	rarely(t)
	arena := mostlyOpen(t, m.arenas, "arena")
	require.NoError(t, arena.arena.Close())
	m.run(arena.lent)
	arena.closed = true
}

func (m *machine) CloseModel(t *rapid.T) {
	rarely(t)
	model := mostlyOpen(t, m.models, "model")
	require.NoError(t, model.model.Close())
	for _, c := range m.calls {
		if c.model == model {
			m.run(c)
		}
	}
	model.closed = true
}

// Check runs after every action, and checks all that can be seen without a change.
func (m *machine) Check(t *rapid.T) {
	for _, c := range m.calls {
		if c.final {
			require.NoError(t, c.status())
		} else {
			require.ErrorIs(t, c.status(), uform.ErrDeferred)
		}
	}
	for _, r := range m.rows {
		stale := r.arena.closed || r.generation != r.arena.generation
		if m.onDevice {
			// There, an export to device code shows whether rows are stale.
			export, err := r.rows.DLPack(nil)
			require.Equal(t, stale, err != nil)
			if err == nil {
				export.Release()
			}
			continue
		}
		require.Equal(t, stale, r.rows.Err() != nil)
	}
}

func (m *machine) close(t *rapid.T) {
	for _, pool := range m.pools {
		require.NoError(t, pool.pool.Close())
	}
	for _, trainer := range m.trainers {
		require.NoError(t, trainer.trainer.Close())
	}
	for _, arena := range m.arenas {
		for _, release := range arena.pins {
			release()
		}
		require.NoError(t, arena.arena.Close())
	}
	for _, executor := range m.executors {
		require.NoError(t, executor.executor.Close())
	}
	for _, model := range m.models {
		require.NoError(t, model.model.Close())
	}
}

// implementations are the libraries that sequences run on.
func implementations(t *testing.T) map[string]*uform.Library {
	libraries := map[string]*uform.Library{
		"engine": uform.OpenTable(hooks.With(hooks.Engine{PoisonRewound: true}, engine.New)),
	}
	path, err := loadertest.Library()
	if err != nil {
		t.Log("no native sequences:", err)
		return libraries
	}
	native, err := uform.Open(&uform.OpenOptions{Path: path})
	require.NoError(t, err)
	libraries["native"] = native
	return libraries
}

func TestSequences(t *testing.T) {
	libraries := implementations(t)
	strange := newFixture(t, heldOptions)
	if native := libraries["native"]; native != nil {
		libraries["device"] = native
	}
	for name, library := range libraries {
		t.Run(name, func(t *testing.T) {
			model, err := mini.Load(background, library, nil)
			require.NoError(t, err)
			vectors, kinds := known(t, library, model)
			require.NoError(t, model.Close())
			folder := t.TempDir()
			rapid.Check(t, func(t *rapid.T) {
				m := &machine{
					library: library, strangers: strangers{strange.model, strange.executor, strange.arena},
					onDevice: name == "device", vectors: vectors, kinds: kinds, folder: folder,
				}
				defer m.close(t)
				for range 2 {
					m.newExecutor(t)
					m.newArena(t, m.executors[0])
				}
				m.loadModel(t)
				t.Repeat(rapid.StateMachineActions(m))
			})
		})
	}
}
