package abi

// Extensions are the facilities of a table that the C header has no entry point for. The embedded
// engine fills them; a shared library has only the callback.
type Extensions struct {
	// ProgressCallback is what goes into the Progress field of an argument struct so that reports
	// reach [ReportProgress] with the struct's ProgressState. It is the address of a C function for
	// a shared library and an opaque token for the engine, which refuses every other value.
	ProgressCallback Progress

	// OnFinal calls notify as soon as the call that left outcome in [StatusDeferred] is final,
	// which may be at once. notify may run on any goroutine and must not block. It does not run a
	// call that its executor only holds. Where OnFinal is nil, callers poll the status.
	OnFinal func(outcome *Outcome, notify func())

	// ModelLoadBytes is ModelLoad from memory: Path is ignored, and checkpoint is read in place,
	// unchanged, until the model is freed. Where it is nil, the bytes have to be written to a file
	// first.
	ModelLoadBytes func(arguments *ModelLoad, checkpoint []byte)

	// TrainerInitBytes is TrainerInit from memory: Path is ignored, and checkpoint is not used
	// after the call has returned. Where it is nil, the bytes have to be written to a file first.
	TrainerInitBytes func(arguments *TrainerInit, checkpoint []byte)
}
