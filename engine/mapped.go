package engine

import (
	stderrors "errors"
	"runtime/debug"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// Files that have a path are mapped, and used in place. If one is truncated meanwhile, a read
// beyond its new end is a memory fault, which ends the process unless its goroutine asked for a
// panic.

// mappedFiles are the mapped files of a model: none for a model from memory.
type mappedFiles []*platform.Mapping

func (m mappedFiles) close() {
	for _, mapping := range m {
		_ = mapping.Close() // a failure to unmap cannot be handled
	}
}

// contain reports whether an address lies in one of the files.
func (m mappedFiles) contain(address uintptr) bool {
	for _, mapping := range m {
		bytes := mapping.Bytes()
		if begin := abi.Address(bytes); address >= begin && address-begin < uintptr(len(bytes)) {
			return true
		}
	}
	return false
}

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

// shield turns a memory fault in a mapped file into a fault of the call. A function that reads
// mapped files defers it:
//
//	defer shield(&files, debug.SetPanicOnFault(true), &f)
//
// Any other panic continues.
func shield(files *mappedFiles, before bool, f **fault) {
	debug.SetPanicOnFault(before)
	raised := recover()
	if raised == nil {
		return
	}
	if at, ok := raised.(interface{ Addr() uintptr }); ok && files.contain(at.Addr()) {
		*f = refuse(abi.StatusIO, "the model's file was truncated while the model used it: load it again, and replace files by renaming")
		return
	}
	panic(raised)
}
