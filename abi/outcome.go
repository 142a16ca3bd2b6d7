package abi

import "sync/atomic"

// Load reads the status with acquire ordering, as uform_outcome_status does, without a call.
func (o *Outcome) Load() Status {
	return Status(atomic.LoadInt32((*int32)(&o.Status)))
}

// Store writes the status with release ordering: a Load that returns it also sees what was written
// to the outcome before.
func (o *Outcome) Store(status Status) {
	atomic.StoreInt32((*int32)(&o.Status), int32(status))
}
