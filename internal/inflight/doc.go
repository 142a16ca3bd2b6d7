// Package inflight follows calls from their submission until they are settled.
//
// [Prepare] makes the [Call] that the caller waits for, and the [Pending] that package uform
// submits and starts. A [Reporter] carries progress reports to the call's context and handler. A
// [Holder] keeps calls that an executor only holds, and blocking ones, out of each other's way.
//
// The library reads the outcome, the argument struct and the inputs until the call is final, so
// they stay where they are until then, whatever becomes of the Call. libuform has no notification:
// one goroutine, the waiter, polls the statuses for all calls in the process on a schedule that
// costs little at rest, and ends when nothing is in flight.
package inflight
