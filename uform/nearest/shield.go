package nearest

import (
	stderrors "errors"
	"runtime/debug"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

var errTruncated = stderrors.New("the index's file was truncated while it was used: open it again, and replace files by renaming")

// shield makes a read behind the end of a mapped file that was cut short an error, where the
// process would end otherwise. A function that reads rows defers it:
//
//	defer x.shield(verb, &err, nil, debug.SetPanicOnFault(true))
//
// Any other panic is stored in raised, or continues where that is nil.
func (x *Index) shield(verb string, err *error, raised *any, before bool) {
	debug.SetPanicOnFault(before)
	cause := recover()
	if cause == nil {
		return
	}
	if at, ok := cause.(interface{ Addr() uintptr }); ok && x.mapping != nil {
		bytes := x.mapping.Bytes()
		if begin := abi.Address(bytes); at.Addr() >= begin && at.Addr()-begin < uintptr(len(bytes)) {
			*err = errors.New(verb, errors.ErrIO, errors.NoItem, errTruncated)
			return
		}
	}
	if raised == nil {
		panic(cause)
	}
	*raised = cause
}
