// Package deferred has the type of calls that were submitted and may not be finished yet.
//
// Package uform makes these calls and has aliases of the types, so most programs do not import this
// package.
//
// A verb of a deferred receiver returns a [Call]. The call is final when its work has ended, with a
// result or an error. A program can select on it, wait for it under a context, or poll it:
//
//	call, err := model.Deferred(executor).TextEncode(ctx, texts, arena, nil)
//	select {
//	case <-call.Done():
//	case <-other:
//	}
//	encoded, err := call.Wait(ctx)
//
// There are two contexts. That of the verb governs the work: when it ends, the work stops at the
// next slice, which is a small part of the batch. That of [Call.Wait] governs the waiting alone.
//
// The inputs are copied when the call is submitted, so the caller may change them at once. A Call
// that is dropped still finishes.
//
// An executor without threads of its own, whose only thread is the caller's, holds a deferred call:
// it does not run until somebody asks for it. The first Done or Wait starts a goroutine that runs
// it.
package deferred
