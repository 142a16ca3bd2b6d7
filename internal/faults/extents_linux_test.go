//go:build !android

package faults_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// An arena gives memory back when it grows, in a call that fails or not, and when it is closed.
// What a program then maps at that address is input like any other. A program cannot map the memory
// of a device.
func TestInputsWhereAnArenaWas(t *testing.T) {
	eachLibrary(t, inputsWhereAnArenaWas)
}

func inputsWhereAnArenaWas(t *testing.T, library *uform.Library) {
	executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, executor.Close()) })
	model, err := mini.Load(background, library, &uform.LoadOptions{Executor: executor})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	few, many := make([]string, 64), make([]string, 4096)
	stop := &uform.TextOptions{Progress: func(finished, _ int) error {
		if finished > 0 {
			return errors.New("stop")
		}
		return nil
	}}
	for name, giveBack := range map[string]func(*testing.T, *uform.Arena) *uform.Arena{
		"a call that failed": func(t *testing.T, arena *uform.Arena) *uform.Arena {
			_, err := model.On(executor).TextEncode(background, uform.Strings(many), arena, stop)
			require.ErrorIs(t, err, uform.ErrCancelled)
			return arena
		},
		"a deferred call that failed": func(t *testing.T, arena *uform.Arena) *uform.Arena {
			call, err := model.Deferred(executor).TextEncode(background, uform.Strings(many), arena, stop)
			if err == nil { // else the submission stopped it
				_, err = call.Wait(background)
			}
			require.ErrorIs(t, err, uform.ErrCancelled)
			return arena
		},
		"a call that grew": func(t *testing.T, arena *uform.Arena) *uform.Arena {
			_, err := model.On(executor).TextEncode(background, uform.Strings(many), arena, nil)
			require.NoError(t, err)
			return arena
		},
		"closed": func(t *testing.T, arena *uform.Arena) *uform.Arena {
			require.NoError(t, arena.Close())
			_, err := model.On(executor).TextEncode(background, uform.Strings(few), arena, nil)
			require.ErrorIs(t, err, uform.ErrClosed)
			other, err := library.NewArena(executor)
			require.NoError(t, err)
			return other
		},
	} {
		t.Run(name, func(t *testing.T) {
			arena, err := library.NewArena(executor)
			require.NoError(t, err)
			encoded, err := model.On(executor).TextEncode(background, uform.Strings(few), arena, nil)
			require.NoError(t, err)
			address := encoded.Embeddings.Data()
			inside := uform.Tape{Data: abi.Memory(address, 5), Offsets: []int64{0, 5}}
			page := abi.Pointer(address &^ 4095)
			// The arena's next memory is larger than the hole that this one leaves, as long as the
			// page before it is mapped.
			if guard, err := mapAt(unsafe.Add(page, -4096)); err == nil {
				defer func() { require.NoError(t, unix.MunmapPtr(guard, 4096)) }()
			}
			_, err = model.On(executor).TextEncode(background, inside, arena, nil)
			require.ErrorIs(t, err, uform.ErrInvalidArgument, "the arena has it")

			into := giveBack(t, arena)
			defer func() { require.NoError(t, into.Close()) }()
			mapped, err := mapAt(page)
			if err != nil {
				t.Skip("the address is in use already: ", err)
			}
			defer func() { require.NoError(t, unix.MunmapPtr(mapped, 4096)) }()
			copy(inside.Data, "hello")
			_, err = model.On(executor).TextEncode(background, inside, into, nil)
			require.NoError(t, err)
			call, err := model.Deferred(executor).TextEncode(background, inside, into, nil)
			require.NoError(t, err)
			_, err = call.Wait(background)
			require.NoError(t, err)
		})
	}
}

// mapAt maps a page at an unused address.
func mapAt(address unsafe.Pointer) (unsafe.Pointer, error) {
	const flags = unix.MAP_ANON | unix.MAP_PRIVATE | unix.MAP_FIXED_NOREPLACE
	return unix.MmapPtr(-1, 0, address, 4096, unix.PROT_READ|unix.PROT_WRITE, flags)
}
