package uform

// On is a model with the executor that its verbs run on, blocking. It is a small value to copy
// freely, and goroutines may share it as they may share the executor. The garbage collector frees
// neither while it is in use; Close still closes them.
type On struct{ receiver }

// Deferred is a model with the executor that its verbs are submitted to. It is a small value to
// copy freely, and goroutines may share it as they may share the executor. The garbage collector
// frees neither while it is in use; Close still closes them.
type Deferred struct{ receiver }

// Model is the model whose verbs run.
func (on On) Model() *Model { return on.model }

// Executor is the executor that the verbs run on.
func (on On) Executor() *Executor { return on.executor }

// Model is the model whose verbs are submitted.
func (d Deferred) Model() *Model { return d.model }

// Executor is the executor that the verbs are submitted to.
func (d Deferred) Executor() *Executor { return d.executor }
