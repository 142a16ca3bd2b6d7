// Package train trains the models of package model: it is what the engine's trainer verbs run, and what the programs that make
// models use directly.
//
//	file, err := train.Fresh(config, seed)      // or any checkpoint, packed ones included
//	run, err := train.New(file, nil)
//	stats, err := run.Step(ctx, &train.Batch{Items: items, Groups: groups}, nil)
//	err = run.Save("run.safetensors", nil)
//
// # A step
//
// [Trainer.Step] takes a batch through the architecture of docs/checkpoint.md in f32 (inputs.go, trunk.go, attention.go, embedding.go),
// computes what is to be made smaller (losses.go, choice.go), goes all the way back by hand-written derivatives, in the same files, and
// updates every tensor by AdamW (adam.go). Derivatives are tested against the architecture in 64 bits, tensor by tensor.
//
// Rows go through what treats each by itself in blocks, the attention of each head of each item is a task of its own, and the gradient
// of a matrix is summed by its rows: blocks and tasks depend on the batch alone, so results are the same to the last bit,
// whoever computes ([Spread]). Rows of the tables of bytes and n-grams gain their gradients range by range, in the order of the batch.
//
// # Memory
//
// A run keeps sixteen bytes for each weight: itself, its gradient and its two moments; matrices are packed for both directions besides.
// Of a token a layer keeps six times the width and the inner width of the feed-forward part, in f32; norms, attention weights and
// what SiLU gives are computed again on the way back. A batch whose tokens take more than [Options.Memory] goes through in
// chunks, and all but the last are computed forward twice. [Trainer.Bytes] tells what is held.
//
// # Many processes
//
// A [Reducer] joins processes that hold the same weights. Each brings its own items to a step; embeddings are gathered, so that
// an item competes with those of all processes, and gradients are summed. Whether a step goes on is decided from what all
// processes know: what is wrong with one's part ends the step of all (peers.go).
package train
