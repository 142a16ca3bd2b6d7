// Package train trains the models of package model. The engine's trainer verbs run it, and the
// programs that make models use it directly.
//
//	file, err := train.Fresh(config, seed)      // or any checkpoint, packed ones included
//	run, err := train.New(file, nil)
//	stats, err := run.Step(ctx, &train.Batch{Items: items, Groups: groups}, nil)
//	err = run.Save("run.safetensors", nil)
//
// The structs of options and batches are plain values: goroutines may share one that none of them
// changes.
//
// # A step
//
// [Trainer.Step] takes a batch through the architecture of docs/checkpoint.md in f32 (inputs.go,
// trunk.go, attention.go, embedding.go), computes the losses (losses.go, choice.go), goes back by
// hand-written derivatives in the same files, and updates every tensor by AdamW (adam.go).
// Derivatives are tested against the architecture in 64 bits, tensor by tensor.
//
// Operations on single rows run in blocks of rows, the attention of each head of each item is a
// task of its own, and the gradient of a matrix is summed by its rows. Blocks and tasks depend on
// the batch alone, so results are the same to the last bit for every [Spread]. Rows of the tables
// of bytes and n-grams get their gradients range by range, in the order of the batch.
//
// # Memory
//
// A run keeps sixteen bytes for each weight: itself, its gradient and its two moments. Matrices are
// also packed for both directions. For each token, a layer keeps six times the width plus the inner
// width of the feed-forward part, in f32; norms, attention weights and the results of SiLU are
// computed again in the backward pass. A batch whose tokens take more than [Options.Memory] goes
// through in chunks, and all but the last chunk are computed forward twice. [Trainer.Bytes] reports
// the memory held.
//
// # Several processes
//
// A [Reducer] joins processes that hold the same weights. Each brings its own items to a step.
// Embeddings are gathered, so that an item is contrasted with those of all processes, and gradients
// are summed. Whether a step continues is decided from what all processes know: a fault in one
// process's part ends the step of all (peers.go).
package train
