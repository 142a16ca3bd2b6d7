package engine

import (
	stderrors "errors"
	"runtime/debug"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// A checkpoint that has a path is mapped, and used in place. If the file is truncated meanwhile, a
// read beyond its new end is a memory fault, which ends the process unless its goroutine asked for
// a panic.

func mapCheckpoint(path string) (*platform.Mapping, *fault) {
	mapping, err := platform.MapFile(path)
	switch {
	case err == nil:
		return mapping, nil
	case stderrors.Is(err, errors.ErrOutOfMemory):
		return nil, faultOf(err)
	}
	return nil, refuse(abi.StatusIO, "%v", err)
}

// shield turns a memory fault in the mapping into a fault of the call. A function that reads a
// mapped checkpoint defers it:
//
//	defer shield(mapping, debug.SetPanicOnFault(true), &f)
//
// Any other panic continues.
func shield(mapping *platform.Mapping, before bool, f **fault) {
	debug.SetPanicOnFault(before)
	raised := recover()
	if raised == nil {
		return
	}
	if at, ok := raised.(interface{ Addr() uintptr }); ok {
		bytes := mapping.Bytes()
		if begin := abi.Address(bytes); at.Addr() >= begin && at.Addr()-begin < uintptr(len(bytes)) {
			*f = refuse(abi.StatusIO, "the checkpoint's file was truncated while the model used it: load it again, and replace files by renaming")
			return
		}
	}
	panic(raised)
}
