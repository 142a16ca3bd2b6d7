// Package uform turns texts, images, videos and recordings into vectors, and scores choices, with
// the multi-modal encoders of UForm.
//
// A program opens a library, loads a model, and asks it for embeddings:
//
//	library, err := uform.Open(nil)
//	model, err := library.Load(ctx, "model.safetensors", nil)
//	defer model.Close()
//	vectors, err := model.Embed(ctx, []string{"a cat on a mat", "a dog in the fog"})
//
// In the place of the file may be a folder of somebody else's model, as Hugging Face has it.
//
// Images, videos and recordings go in as whole files, told apart by their content, or as decoded
// pixels and samples:
//
//	files, err := uform.Files("a.jpg", "b.webp")
//	encoded, err := model.ImageEncode(ctx, files, arena, nil)
//
// What a model can encode is in its [ModelDescription]; what a library can decode, in
// [Library.Capabilities].
//
// # Libraries
//
// [Open] looks for a shared libuform and otherwise takes the engine that is compiled into the
// program, which does the same work in Go alone. [Library.Origin] reports which it was and why.
// Nothing of the interface depends on it.
//
// # Executors, arenas, receivers
//
// [Model.Embed] is the short way, and takes texts of any length, where a verb cuts them to the
// model's context. A program with more to do makes the pieces itself: an [Executor] is the threads,
// or the GPU, that calls run on, and an [Arena] the memory that their outputs land in. The receiver
// of a verb says where it runs and how it completes, while the verb and its arguments stay the
// same:
//
//	model.TextEncode(ctx, texts, arena, nil)                     // on the calling goroutine's thread
//	model.On(executor).TextEncode(ctx, texts, arena, nil)        // blocks, on the executor
//	model.Deferred(executor).TextEncode(ctx, texts, arena, nil)  // returns a call to wait for
//
// Outputs are views of the arena: they are read in place and hold until the next call with that
// arena. An executor has one call at a time and never queues; a [Pool] does, for programs that
// serve many goroutines.
//
// # Training
//
// A [Trainer] starts from a checkpoint and learns, step by step, which items belong together:
//
//	trainer, err := library.NewTrainer(ctx, "model.safetensors", executor, nil)
//	stepped, err := trainer.On(executor).Step(ctx, uform.Examples{Contents: uform.Strings(pairs)}, nil, nil)
//	err = trainer.On(executor).Save(ctx, "trained.safetensors", nil)
//
// # In production
//
// An [Observer] counts calls, failures, bytes and growths, and logs to a [log/slog.Logger]: see
// [Library.Observe].
//
// # Errors
//
// A failed call is an [*Error], which wraps the status: errors.Is(err, uform.ErrContended). A call
// stopped through its context wraps both [ErrCancelled] and the context's cause. Bad input leaves
// every handle usable.
//
// # Closing
//
// What has a Close method should be closed; what is not is freed by the garbage collector. Closing
// twice is safe, closing waits for calls in flight, and using what is closed is an error that wraps
// [ErrClosed].
//
// # Goroutines
//
// Handles ([Library], [Model], [Executor], [Arena], [Trainer], [Pool], [Observer]) and calls say at
// their types how goroutines may share them. Everything else is a plain value: goroutines may share
// one that none of them changes.
package uform
