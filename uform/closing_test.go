package uform_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Faults of closing and dropping that were found by trying the product, each with the right value,
// on every implementation.

// changed returns the same library with some entries of its table changed.
func changed(library *uform.Library, change func(*abi.Library)) *uform.Library {
	table := *library.Table()
	change(&table)
	return uform.OpenTable(&table)
}

// job is a call with its own handler, as a program keeps them in one struct.
type job struct {
	call  *deferred.Call[uform.Encoded]
	heard *atomic.Int32
}

func (j *job) progress(int, int) error {
	j.heard.Add(1)
	return nil
}

// A held call that is dropped finishes also where its handler, its context, or what an observer
// keeps of it leads to its own Call.
func TestADroppedHeldCallThatLeadsToItselfFinishes(t *testing.T) {
	type key struct{}
	heard := new(atomic.Int32)
	for name, submission := range map[string]func(*job) (context.Context, *uform.TextOptions, *uform.Observer){
		"handler": func(j *job) (context.Context, *uform.TextOptions, *uform.Observer) {
			return background, &uform.TextOptions{Progress: j.progress}, nil
		},
		"context": func(j *job) (context.Context, *uform.TextOptions, *uform.Observer) {
			ctx, cancel := context.WithCancel(context.WithValue(background, key{}, j))
			context.AfterFunc(background, cancel)
			return ctx, nil, nil
		},
		"observer": func(j *job) (context.Context, *uform.TextOptions, *uform.Observer) {
			return context.WithValue(background, key{}, j), nil, new(uform.Observer)
		},
	} {
		t.Run(name, func(t *testing.T) {
			everyLibrary(t, func(t *testing.T, f fixture) {
				executor, err := f.library.NewExecutor(heldOptions)
				require.NoError(t, err)
				defer func() { require.NoError(t, executor.Close()) }()
				heard.Store(0)
				func() {
					j := &job{heard: heard}
					ctx, options, observer := submission(j)
					f.library.Observe(observer)
					defer f.library.Observe(nil)
					j.call, err = f.model.Deferred(executor).TextEncode(ctx, uform.Strings(someTexts), f.arena, options)
					require.NoError(t, err)
				}()
				for {
					runtime.GC()
					_, err := f.model.TextEncode(background, uform.Strings(someTexts), f.arena, nil)
					if err == nil {
						break
					}
					require.ErrorIs(t, err, uform.ErrContended)
				}
				require.Equal(t, name == "handler", heard.Load() > 0, "the handler gets reports as for any other call")
			})
		})
	}
}

// While dropped calls run by themselves, a blocking call on their executor waits for them, as it
// would have run them: it is never contended.
func TestABlockingCallIsNotInTheWayOfDroppedOnes(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		executor, err := f.library.NewExecutor(heldOptions)
		require.NoError(t, err)
		defer func() { require.NoError(t, executor.Close()) }()
		for i := range 200 {
			arena, err := f.library.NewArena(executor)
			require.NoError(t, err)
			func() {
				j := &job{heard: new(atomic.Int32)}
				j.call, err = f.model.Deferred(executor).TextEncode(background, uform.Strings(someTexts), arena, &uform.TextOptions{Progress: j.progress})
				require.NoError(t, err)
			}()
			for range i % 4 {
				runtime.GC()
			}
			_, err = f.model.On(executor).TextEncode(background, uform.Strings(someTexts), f.arena, nil)
			require.NoError(t, err)
		}
	})
}

// freeing returns a library whose frees block until they are released, and are then counted.
type freeing struct {
	library *uform.Library
	entered chan struct{}
	leave   chan struct{}
	freed   atomic.Int32
}

func slowly(library *uform.Library) *freeing {
	f := &freeing{entered: make(chan struct{}, 16), leave: make(chan struct{}, 16)}
	f.library = changed(library, func(table *abi.Library) {
		table.ModelFree, table.ExecutorFree = slow(f, table.ModelFree), slow(f, table.ExecutorFree)
		table.ArenaFree, table.TrainerFree = slow(f, table.ArenaFree), slow(f, table.TrainerFree)
	})
	return f
}

func slow[Handle ~uintptr](f *freeing, free func(Handle)) func(Handle) {
	return func(handle Handle) {
		f.entered <- struct{}{}
		<-f.leave
		free(handle)
		f.freed.Add(1)
	}
}

// Close returns when the handle is freed, for whoever closes first or again, with a call in flight
// or without.
func TestCloseReturnsWhenTheHandleIsFreed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mini.safetensors")
	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	everyLibrary(t, func(t *testing.T, f fixture) {
		for _, kind := range []string{"model", "executor", "arena", "trainer"} {
			for _, held := range []bool{false, true} {
				for _, inFlight := range []bool{false, true} {
					slow := slowly(f.library)
					options := &uform.ExecutorOptions{Threads: 1, WithCaller: held}
					executor, err := slow.library.NewExecutor(options)
					require.NoError(t, err)
					arena, err := slow.library.NewArena(executor)
					require.NoError(t, err)
					model, err := mini.Load(background, slow.library, nil)
					require.NoError(t, err)
					trainer, err := slow.library.NewTrainer(background, path, executor, nil)
					require.NoError(t, err)
					handles := map[string]interface{ Close() error }{"model": model, "executor": executor, "arena": arena, "trainer": trainer}
					if inFlight {
						if kind == "trainer" {
							_, err = trainer.Deferred(executor).Step(background, uform.Examples{Contents: uform.Strings([]string{"a", "b"})}, nil, nil)
						} else {
							_, err = model.Deferred(executor).TextEncode(background, uform.Strings(someTexts), arena, nil)
						}
						require.NoError(t, err)
					}
					var group sync.WaitGroup
					var closed atomic.Int32
					for range 5 {
						group.Go(func() {
							require.NoError(t, handles[kind].Close())
							require.EqualValues(t, 1, slow.freed.Load(), "%s, held %v, in flight %v", kind, held, inFlight)
							closed.Add(1)
						})
					}
					<-slow.entered
					require.Zero(t, closed.Load())
					slow.leave <- struct{}{}
					group.Wait()
					require.NoError(t, handles[kind].Close())
					for range 3 {
						slow.leave <- struct{}{}
					}
					for _, other := range []string{"trainer", "arena", "model", "executor"} {
						require.NoError(t, handles[other].Close())
					}
					require.EqualValues(t, 4, slow.freed.Load())
				}
			}
		}
	})
}

// A free that takes its time holds up nobody else: neither where somebody closes while a call is in
// flight, nor where the collector frees.
func TestAFreeHoldsUpNoOtherCall(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		executor, err := f.library.NewExecutor(&uform.ExecutorOptions{Threads: 1})
		require.NoError(t, err)
		defer func() { require.NoError(t, executor.Close()) }()
		for name, let := range map[string]func(*uform.Model){
			"closed":  func(m *uform.Model) { go m.Close() },
			"dropped": func(*uform.Model) {},
		} {
			slow := slowly(f.library)
			func() {
				model, err := mini.Load(background, slow.library, nil)
				require.NoError(t, err)
				on, err := slow.library.NewExecutor(&uform.ExecutorOptions{Threads: 1})
				require.NoError(t, err)
				arena, err := slow.library.NewArena(on)
				require.NoError(t, err)
				_, err = model.Deferred(on).TextEncode(background, uform.Strings(someTexts), arena, nil)
				require.NoError(t, err)
				let(model)
			}()
			for len(slow.entered) == 0 {
				runtime.GC()
			}
			for range 20 {
				call, err := f.model.Deferred(executor).TextEncode(background, uform.Strings(someTexts), f.arena, nil)
				require.NoError(t, err, name)
				_, err = call.Wait(background)
				require.NoError(t, err, name)
			}
			require.Zero(t, slow.freed.Load())
			for range 3 {
				slow.leave <- struct{}{}
			}
			for slow.freed.Load() < 3 {
				runtime.GC()
			}
		}
	})
}

// A call that is submitted while a blocking call is between the look for held calls and the library
// is run by a driver, as one that came before: its handler cannot wait for that, and is refused.
func TestACallSubmittedIntoABlockingOne(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		for _, early := range []bool{true, false} {
			var between func()
			library := changed(f.library, func(table *abi.Library) {
				encode := table.TextEncode
				table.TextEncode = func(arguments *abi.TextEncode) {
					if now := between; now != nil && arguments.Completion == abi.CompletionBlocking {
						between = nil
						now()
					}
					encode(arguments)
				}
			})
			model, err := mini.Load(background, library, nil)
			require.NoError(t, err)
			executor, err := library.NewExecutor(heldOptions)
			require.NoError(t, err)
			driving, err := library.NewArena(executor)
			require.NoError(t, err)
			other, err := library.NewArena(executor)
			require.NoError(t, err)
			var refusals []error
			submit := func() (err error) {
				done := make(chan struct{})
				go func() {
					defer close(done)
					_, err = model.Deferred(executor).TextEncode(background, uform.Strings(someTexts), other, &uform.TextOptions{
						Progress: func(int, int) error {
							refusals = append(refusals, driving.Close())
							return nil
						},
					})
				}()
				<-done
				return err
			}
			var submitted error
			if early {
				require.NoError(t, submit())
			} else {
				between = func() { submitted = submit() }
			}
			_, err = model.On(executor).TextEncode(background, uform.Strings(someTexts), driving, nil)
			require.NoError(t, err)
			require.NoError(t, submitted)
			require.NotEmpty(t, refusals)
			for _, refusal := range refusals {
				require.ErrorIs(t, refusal, uform.ErrContended)
			}
			_, err = model.Deferred(executor).TextEncode(background, uform.Strings(someTexts), other, nil)
			require.NoError(t, err, "and the executor is as before")
			for _, handle := range []interface{ Close() error }{driving, other, executor, model} {
				require.NoError(t, handle.Close())
			}
		}
	})
}

func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// The same from many goroutines: every handler's Close of what other calls name is an answer, and
// nothing waits for itself.
func TestSubmittersAndBlockersOnAHolder(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		executor, err := f.library.NewExecutor(heldOptions)
		require.NoError(t, err)
		defer func() { require.NoError(t, executor.Close()) }()
		var group sync.WaitGroup
		for range 4 {
			// Each blocks with an arena of its own, which the handlers of the others' held calls
			// try to close.
			driving := new(atomic.Pointer[uform.Arena])
			group.Go(func() {
				for range 100 {
					arena, err := f.library.NewArena(executor)
					require.NoError(t, err)
					driving.Store(arena)
					_, err = f.model.On(executor).TextEncode(background, uform.Strings(someTexts), arena, nil)
					if err != nil && !isAny(err, uform.ErrContended, uform.ErrClosed) {
						require.NoError(t, err)
					}
					require.NoError(t, arena.Close())
				}
			})
			group.Go(func() {
				for range 100 {
					arena, err := f.library.NewArena(executor)
					require.NoError(t, err)
					call, err := f.model.Deferred(executor).TextEncode(background, uform.Strings([]string{"held"}), arena, &uform.TextOptions{
						Progress: func(int, int) error {
							if err := driving.Load().Close(); err != nil && !isAny(err, uform.ErrContended) {
								return err
							}
							return nil
						},
					})
					if err == nil {
						runtime.Gosched()
						_, err = call.Wait(background)
					}
					if err != nil {
						require.ErrorIs(t, err, uform.ErrContended)
					}
					require.NoError(t, arena.Close())
				}
			})
		}
		group.Wait()
	})
}
