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
// Images, videos and recordings are passed as whole files, whose format is recognized by their
// content, or as decoded pixels and samples:
//
//	files, err := uform.Files("a.jpg", "b.webp")
//	encoded, err := model.ImageEncode(ctx, files, arena, nil)
//
// An embedding is one vector for an item: a text, an image, a video or a recording. States are one
// vector for each token of an item, the unit that a model works on: such as a byte of a text, a
// patch of a picture, a moment of a recording.
//
// [Model.Describe] says what a model can encode, [Library.Capabilities] what a library can decode.
//
// # Libraries
//
// [Open] looks for a shared libuform and otherwise takes the engine that is compiled into the
// program, which does the same work in Go alone. A program is written in the same way for both.
// [Library.Origin] reports which one was opened and why.
//
// # Executors, arenas, receivers
//
// [Model.Embed] is the short way. It returns copies and takes texts of any length.
//
// A program that needs more control makes the pieces itself. An [Executor] is the threads, or the
// GPU, that calls run on. An [Arena] is the memory that their outputs are written to. A verb is a
// method that does the work of one C entry point, such as TextEncode; it cuts a text that is longer
// than the model's context, the most tokens that the model takes. A verb has three receivers, which
// say where it runs and whether it blocks; its arguments are the same for all of them:
//
//	model.TextEncode(ctx, texts, arena, nil)                    // on the calling goroutine's thread
//	model.On(executor).TextEncode(ctx, texts, arena, nil)       // blocks, on the executor
//	model.Deferred(executor).TextEncode(ctx, texts, arena, nil) // returns a call to wait for
//
// Outputs are views of the arena: they are read in place, and are valid until the next call with
// that arena. An executor runs one call at a time. A second call is not queued: it fails at once
// with [ErrContended]. To serve many goroutines use a [Pool], in which calls wait
// for a free executor.
//
// # Training
//
// A [Trainer] starts from a checkpoint and learns, step by step, which items belong together:
//
//	trainer, err := library.NewTrainer(ctx, "model.safetensors", executor, nil)
//	examples := uform.Examples{Contents: uform.Strings(pairs)}
//	stepped, err := trainer.On(executor).Step(ctx, examples, nil, nil)
//	err = trainer.On(executor).Save(ctx, "trained.safetensors", nil)
//
// # In production
//
// An [Observer] counts calls, failures, bytes, and how often arenas had to grow, and logs to a
// [log/slog.Logger]: see [Library.Observe].
//
// # Errors
//
// A failed call is an [*Error], which wraps the status: errors.Is(err, uform.ErrContended). A call
// stopped through its context wraps both [ErrCancelled] and the context's cause. Bad input leaves
// every handle usable.
//
// # Closing
//
// Close what has a Close method. What is dropped without Close is freed by the garbage collector.
// Closing twice is safe, closing waits for calls in flight, and using what is closed is an error
// that wraps [ErrClosed].
//
// # Goroutines
//
// The comments of [Library], [Model], [Executor], [Arena], [Trainer], [Pool], [Observer] and [Call]
// say how goroutines may share them. Everything else is a plain value: goroutines may share one as
// long as none of them changes it.
package uform
