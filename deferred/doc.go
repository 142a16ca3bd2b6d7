// Package deferred follows calls that were submitted and not yet finished.
//
// A verb of a deferred receiver answers a [Call]. It can be selected on, waited for under a context, or polled:
//
//	call, err := model.Deferred(executor).TextEncode(ctx, texts, arena, nil)
//	select {
//	case <-call.Done():
//	case <-other:
//	}
//	encoded, err := call.Wait(ctx)
//
// The context of the verb governs the call: cancelling it stops the work at the next slice. The context of
// [Call.Wait] governs the waiting alone. The library reads the outcome, the argument struct and the inputs until the
// call is final, so they stay where they are until then whatever becomes of the Call; a Call that is dropped finishes
// on its own.
//
// libuform has no wake-up: somebody has to look. The embedded engine tells when a call is final; for a shared library
// one goroutine, shared by every call in the process, polls the statuses on a schedule that costs little at rest and
// ends when nothing is in flight. An executor without threads of its own only holds its call; the first Done or Wait
// starts a goroutine that runs it. [Holder] keeps such calls and blocking ones out of each other's way.
//
// Package uform makes calls; [Prepare], [Pending] and [Reporter] are what it makes them with.
package deferred
