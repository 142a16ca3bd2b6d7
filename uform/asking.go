package uform

import "github.com/unum-cloud/uform-go/abi"

// asking is the box of an entry point that is no verb of a model, on the heap: it may outlive the
// stack it was made on, as the library may call back.
type asking[Arguments, Answer any] struct {
	outcome   abi.Outcome
	arguments Arguments
	_         [abi.ReservedTail]byte
	answer    Answer
}

// newAsking plants a failure in the outcome: a zeroed one reads as success, also where nobody ever
// wrote it.
func newAsking[Arguments, Answer any]() *asking[Arguments, Answer] {
	b := new(asking[Arguments, Answer])
	b.outcome.Status = abi.StatusUnknown
	return b
}
