package uform_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// The kind of golang/go#13347: a method passes a raw handle on as the last use of its owner, and
// the collector closes the owner under it. Every raw handle is read between the beginning and the
// end of a use here, which keeps the handle whatever becomes of the owner; and an owner lives until
// its use has begun.

// collecting is a library in whose every entry, before and behind the real one, the collector runs
// and what it found is dropped. Handles may be freed then, but none that a call names.
type collecting struct {
	*uform.Library
	frees atomic.Int64
}

func newCollecting(library *uform.Library) *collecting {
	c := new(collecting)
	c.Library = changed(library, func(table *abi.Library) {
		table.ExecutorInit, table.ExecutorDrain = around(table.ExecutorInit), around(table.ExecutorDrain)
		table.ExecutorDescribe = around(table.ExecutorDescribe)
		table.ArenaInit, table.ArenaDescribe = around(table.ArenaInit), around(table.ArenaDescribe)
		table.ModelLoad, table.ModelDescribe = around(table.ModelLoad), around(table.ModelDescribe)
		table.TextEncode, table.TextChoose = around(table.TextEncode), around(table.TextChoose)
		table.TrainerInit, table.TrainerStep, table.TrainerSave = around(table.TrainerInit), around(table.TrainerStep), around(table.TrainerSave)
		table.ModelFree, table.TrainerFree = counting(c, table.ModelFree), counting(c, table.TrainerFree)
		table.ExecutorFree, table.ArenaFree = counting(c, table.ExecutorFree), counting(c, table.ArenaFree)
	})
	return c
}

func collect() {
	for range 2 { // the second finds what only dropped values referred to
		runtime.GC()
		runtime.Gosched()
	}
}

func around[Arguments any](entry func(*Arguments)) func(*Arguments) {
	return func(arguments *Arguments) {
		collect()
		entry(arguments)
		collect()
	}
}

func counting[Handle ~uintptr](c *collecting, free func(Handle)) func(Handle) {
	return func(handle Handle) {
		free(handle)
		c.frees.Add(1)
	}
}

// In each line the verb is the last use of everything it names.
func TestOwnersLiveUntilTheirCallsAreOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mini.safetensors")
	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	texts := uform.Strings(someTexts)
	choices := uform.Strings([]string{"ab", "cd", "e"})
	pairs := uform.Examples{Contents: uform.Strings([]string{"a", "b"})}
	everyLibrary(t, func(t *testing.T, f fixture) {
		want := vectors(t, f.model, someTexts...)
		c := newCollecting(f.library)
		executor := func() *uform.Executor {
			e, err := c.NewExecutor(heldOptions)
			require.NoError(t, err)
			return e
		}
		threads := func() *uform.Executor {
			e, err := c.NewExecutor(&uform.ExecutorOptions{Threads: 1})
			require.NoError(t, err)
			return e
		}
		arena := func(e *uform.Executor) *uform.Arena {
			a, err := c.NewArena(e)
			require.NoError(t, err)
			return a
		}
		model := func() *uform.Model {
			m, err := c.Load(background, path, nil)
			require.NoError(t, err)
			return m
		}
		encoded := func(rows uform.Rows) {
			got, err := rows.Copy()
			require.NoError(t, err)
			requireClose(t, want, got, 1e-5, "text")
		}
		for name, verb := range map[string]func() error{
			"arena of an executor": func() error { _, err := c.NewArena(executor()); return err },
			"arena's description":  func() error { _, err := arena(nil).Describe(); return err },
			"description":          func() error { _, err := executor().Describe(); return err },
			"drain":                func() error { return executor().Drain() },
			"load":                 func() error { _, err := c.Load(background, path, &uform.LoadOptions{Executor: executor()}); return err },
			"model's description":  func() error { _, err := model().On(threads()).Describe(background); return err },
			"calling thread": func() error {
				answer, err := model().TextEncode(background, texts, arena(nil), nil)
				encoded(answer.Embeddings)
				return err
			},
			"executor": func() error {
				e := executor()
				answer, err := model().On(e).TextEncode(background, texts, arena(e), nil)
				encoded(answer.Embeddings)
				return err
			},
			"choices": func() error {
				_, err := model().On(threads()).TextChoose(background, texts, choices, arena(nil), nil)
				return err
			},
			"deferred": func() error {
				e := threads()
				call, err := model().Deferred(e).TextEncode(background, texts, arena(e), nil)
				if err != nil {
					return err
				}
				collect()
				answer, err := call.Wait(background)
				encoded(answer.Embeddings)
				return err
			},
			"held": func() error {
				call, err := model().Deferred(executor()).TextEncode(background, texts, arena(nil), nil)
				if err != nil {
					return err
				}
				collect()
				answer, err := call.Wait(background)
				encoded(answer.Embeddings)
				return err
			},
			"training": func() error {
				run, err := c.NewTrainer(background, path, executor(), nil)
				if err != nil {
					return err
				}
				if _, err := run.On(threads()).Step(background, pairs, arena(nil), nil); err != nil {
					return err
				}
				return run.On(executor()).Save(background, filepath.Join(t.TempDir(), "run.safetensors"), nil)
			},
		} {
			require.NoError(t, verb(), name)
		}
		for c.frees.Load() == 0 {
			runtime.GC()
		}
	})
}

// An arena of a GPU refers to its executor once it is made. An executor that was dropped into
// NewArena is collected there, were it not kept: then the arena would be refused as of a closed
// executor.
func TestAnExecutorLivesUntilItsArenaRefersToIt(t *testing.T) {
	f := newFixture(t, nil)
	c := newCollecting(changed(f.library, func(table *abi.Library) {
		initialise, describe := table.ExecutorInit, table.ArenaDescribe
		table.ExecutorInitVRAM = func(a *abi.ExecutorInitVRAM) {
			initialise(&abi.ExecutorInit{Executor: a.Executor, Outcome: a.Outcome, Threads: 1, Exclusivity: abi.CallerInclusive})
		}
		table.ArenaDescribe = func(a *abi.ArenaDescribe) {
			describe(a)
			*a.Description = abi.ArenaDescription{Residency: abi.ResidencyVRAM}
		}
	}))
	for range 5 {
		executor, err := c.NewDeviceExecutor(nil)
		require.NoError(t, err)
		arena, err := c.NewArena(executor)
		require.NoError(t, err)
		require.Zero(t, c.frees.Swap(0), "the arena keeps its executor")
		require.NoError(t, arena.Close())
		for c.frees.Load() < 2 {
			runtime.GC()
		}
		c.frees.Store(0)
	}
}

// The sources read a raw handle only where a use of it has begun, in the same function or, for the
// two that are named, in the one that calls it; and only what keeps the owner alive passes a
// counted handle on.
func TestRawHandlesAreReadWithinAUse(t *testing.T) {
	begunElsewhere := map[string]string{
		"call":  "v.begin has begun the uses, which using.end ends",
		"Arena": "Begin has begun the lease",
	}
	passedOn := map[string]string{
		"owner":         "its caller keeps the site",
		"NewArena":      "runtime.KeepAlive",
		"adoptExecutor": "the cleanup of the owner itself",
		"adoptModel":    "the cleanup of the owner itself",
		"newTrainer":    "the cleanup of the owner itself",
		"New":           "the cleanup of the owner itself",
	}
	read := 0
	for _, folder := range []string{".", "../internal/lending"} {
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(folder, entry.Name()), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, declaration := range file.Decls {
				function, isFunction := declaration.(*ast.FuncDecl)
				if !isFunction {
					continue
				}
				methods, called := map[string]int{}, map[ast.Expr]bool{}
				ast.Inspect(function, func(n ast.Node) bool {
					if selector, ok := n.(*ast.SelectorExpr); ok {
						methods[selector.Sel.Name]++
						called[selector.X] = true
					}
					return true
				})
				ast.Inspect(function, func(n ast.Node) bool {
					selector, ok := n.(*ast.SelectorExpr)
					if !ok {
						return true
					}
					where := files.Position(selector.Pos()).String()
					switch name := selector.Sel.Name; {
					case name == "Value":
						read++
						begun := methods["BeginCall"] > 0 && methods["EndCall"] > 0
						require.True(t, begun || begunElsewhere[function.Name.Name] != "", "%s reads a handle outside of a use", where)
					case name == "handle" && !called[selector]:
						_, known := passedOn[function.Name.Name]
						require.True(t, known || assigned(function, selector), "%s passes a counted handle on: keep its owner alive", where)
					}
					return true
				})
			}
		}
	}
	require.GreaterOrEqual(t, read, 8, "the check still sees the handles")
}

// assigned reports whether an expression is the left side of an assignment.
func assigned(function *ast.FuncDecl, expression ast.Expr) (found bool) {
	ast.Inspect(function, func(n ast.Node) bool {
		if assignment, ok := n.(*ast.AssignStmt); ok {
			for _, left := range assignment.Lhs {
				found = found || left == expression
			}
		}
		return !found
	})
	return found
}
