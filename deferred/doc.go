// Package deferred has the calls that were submitted and may not be finished yet.
//
// A verb of a deferred receiver returns a [Call]. A program can select on it, wait for it under a
// context, or poll it:
//
//	call, err := model.Deferred(executor).TextEncode(ctx, texts, arena, nil)
//	select {
//	case <-call.Done():
//	case <-other:
//	}
//	encoded, err := call.Wait(ctx)
//
// The context of the verb governs the call: cancelling it stops the work at the next slice. The
// context of [Call.Wait] governs the waiting alone. The inputs are copied when the call is
// submitted, so the caller may change them at once. A Call that is dropped finishes on its own.
//
// The embedded engine reports when a call is final. A shared library cannot: there one goroutine,
// shared by every call in the process, polls the statuses. It sleeps longer the longer nothing
// happens, and ends when nothing is in flight. An executor without threads of its own holds its
// call until somebody asks for it: the first Done or Wait starts a goroutine that runs it.
//
// Package uform makes calls and has aliases of these types, so most programs do not import this
// package.
package deferred
