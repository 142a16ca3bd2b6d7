// Package errors turns the statuses of libuform into Go errors.
//
// There is one constant for each status, so that a caller compares and never parses:
//
//	// Another call holds the executor or the arena.
//	if errors.Is(err, uformerrors.ErrContended) { … }
//
// What a verb returns is an [*Error], which adds the verb, the batch item at fault and the cause:
//
//	var failure *uformerrors.Error
//	if errors.As(err, &failure) && failure.Item >= 0 { skip(failure.Item) }
//
// A status that this build has no name for keeps its number: errors.Is(err,
// uformerrors.Status(-77)) holds. Package uform declares the same constants again, so most programs
// import only the standard library's errors.
//
// The types of this package are plain values: goroutines may share one that none of them changes.
package errors
