// Package engine is libuform in Go: it fills the table of entry points that package abi describes
// with functions that need no shared library. Code above the table sees no difference. Package
// uform falls back to it where no library is found.
//
//	library := engine.New()
//	library.TextEncode(&abi.TextEncode{
//		Model: model, Count: 2, Texts: texts, Arena: arena,
//		Embeddings: &rows, Outcome: &outcome,
//	})
//
// Package model computes, from a checkpoint that docs/checkpoint.md describes. This package does
// everything else: handles, which call may use a handle, where outputs lie, which goroutine runs a
// call, and when a call is final.
//
// The structs of options are plain values: goroutines may share one that none of them changes.
//
// # How a call runs
//
// A verb copies its argument struct into a call, claims the handles it names, and checks what can
// be checked without reading an item (encode.go, choose.go, inputs.go). Submission is one step
// under the library's mutex: the call gets its arena and its executor, or is refused and has
// changed nothing (call.go). Then one goroutine leads it: the calling one, a worker of the
// executor, or, where the executor has no threads, the next goroutine that waits, drains, submits
// or frees (executor.go). The leader rewinds the arena, checks the inputs, lays out the outputs
// (outputs.go) and cuts the batch into slices, which it and the workers take one after the other
// (worker.go). Slices do not depend on the goroutine that computes them, so results are the same to
// the last bit for every number of threads.
//
// An encoding verb encodes a medium (encode_text.go, encode_image.go, encode_pixels.go,
// encode_audio.go, encode_samples.go), which reports how many tokens an item has, and makes them.
// Files are decoded within slices, one at a time on each thread. Only recordings whose states are
// requested are prescanned, since only decoding them gives the size of the output. A batch of a
// thousand pictures therefore takes the memory of one picture for each thread. When a call ends,
// its handles become free in the same step that makes its outcome final.
//
// # Training
//
// A trainer is a run of package train (trainer.go). A step (trainer_step.go) decodes its files like
// an encoding verb, then distributes the tasks of the run to the executor's workers. Bad input of
// one process is reported to the others before it ends the call, so that none of them waits.
//
// # Ownership
//
// A handle is an id (handles.go): a stale or foreign id is an error, and the garbage collector has
// nothing to follow. Freeing a handle waits for the calls that name it (claims.go). An arena is
// pages outside of Go's heap (arena.go). A model is its mapped file and its packed weights
// (model.go). Working memory belongs to the executor, or, for calls without one, to the model; it
// grows to the largest work so far, and a steady loop allocates nothing, except in decoders of
// files.
//
// # Limits
//
// There are no devices, so nothing lies in device memory.
package engine
