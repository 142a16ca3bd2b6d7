// Package engine is libuform in Go: it fills the table of entry points that package abi describes
// with functions that need no shared library. Code above the table sees no difference.
//
// Most programs never import it. uform.Open takes the engine where no shared library is found, and
// uform.OpenOptions has its [Limits]. A program that wants an instance of its own, which shares no
// handles with others, or that calls the entry points as C programs do, makes a table:
//
//	library := uform.OpenTable(engine.New())
//
// It also loads the models of others from folders in Hugging Face's layout, by a path or from a
// file system, which the C interface has no call for: see [abi.Extensions].
//
// The engine computes in host memory, on the processor's cores, by kernels for AVX2, AVX-512 and
// arm64 or in plain Go elsewhere. Results have the same bits for every number of threads and
// whatever else is in a batch. It has no devices: a call that asks for device memory is an error.
//
// The structs of options are plain values: goroutines may share one that none of them changes.
package engine
