// Package engine is libuform in Go: it fills the table of entry points that package abi describes, with functions that
// need no shared library. Nothing above the table can tell; package uform falls back to it where no library is found.
//
//	library := engine.New()
//	library.TextEncode(&abi.TextEncode{Model: model, Count: 2, Texts: texts, Arena: arena, Embeddings: &rows, Outcome: &outcome})
//
// Package model computes, from a checkpoint that docs/checkpoint.md describes. This package is everything around it: what a
// handle is, who may have it, where outputs lie, who runs a call and when it is over.
//
// # A call's way
//
// A verb copies its argument struct into a call, claims the handles it names, and checks what can be checked without
// reading an item (encode.go, choose.go, inputs.go). Submission is one step under the library's mutex: the call gets its
// arena and its executor, or is refused and has changed nothing (call.go). Then somebody leads it: the calling goroutine, a
// worker of the executor, or, where the executor owns none, whoever comes to wait, drain, submit or free (executor.go).
// The leader rewinds the arena, checks the inputs, lays the outputs out (outputs.go) and cuts the batch into slices, which
// it and the workers take one after the other (worker.go). Slices do not depend on who computes them, so results are the
// same to the last bit, whatever the number of threads.
//
// What is encoded is a medium (encode_text.go, encode_image.go, encode_pixels.go, encode_audio.go, encode_samples.go):
// it tells how many tokens an item has, and makes them. Files are decoded within slices, one at a time for each thread, and
// only recordings whose states are asked for are surveyed first, since the size of the output is known by decoding alone.
// A batch of a thousand pictures therefore takes the memory of as many pictures as there are threads, however many
// it has.
// At the end all that the call had is free again in the same step that makes its outcome final.
//
// # Training
//
// A trainer is a run of package train (trainer.go). A step (trainer_step.go) decodes its files like an encoding verb, then conducts: it
// hands the executor's workers the tasks that the run cuts itself into. Bad input of one process is told to the others before
// it ends the call, so that none of them waits.
//
// # Who owns what
//
// A handle is an id (handles.go): a stale or foreign one is an error, and the collector has nothing to follow. Freeing
// one waits for the calls that name it (claims.go). An arena is pages outside of Go's heap (arena.go); a model is its file,
// mapped, and what was packed of it (model.go). Working memory belongs to the executor, or, for calls that have none,
// to the model; it grows to what its largest work needed, and a steady loop allocates nothing, but for what decoders of files do.
//
// # What it lacks
//
// There are no devices, so nothing lives in device memory.
package engine
