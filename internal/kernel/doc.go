// Package kernel is the arithmetic of the engine: matrix products, row operations, and conversions between scalar
// kinds. It knows nothing of models, files or threads.
//
// A weight matrix is packed once, into panels of sixteen outputs ([Packed], or [PackedBytes] with activations in [Bytes]), and
// multiplied many times. Activations are plain row-major slices with a stride, counted in scalars. Every routine works on
// the calling goroutine, keeps nothing, and panics only where slices are shorter than their documented shapes, as indexing does.
//
// Two properties hold for every routine, and everything above relies on them:
//
//   - A row of a result depends on its own row of the input alone, bit for bit. Rows may be computed one at a time or
//     a thousand at a time, in any grouping, with the same bits.
//   - Nothing is allocated, except by what packs weights, and where a [Packed] or [Bytes] has to grow.
//
// The routines that a processor may do better are the fields of one table, routines in dispatch.go; paths_amd64.go and
// paths_arm64.go say which of them a path replaces. A file's name ends with the instruction set that it is for, and one
// that ci/kernelgen writes says generated: product_avx512_generated_amd64.s. Assembly is there for AVX2 with FMA, for
// AVX-512, and for the vectors of arm64; any other processor takes the portable loops. The environment variable
// UFORM_KERNEL forces a path: "portable", "neon", "avx2" or "avx512". It is read once, at the first use; a name that is
// unknown, or of a path that the processor lacks, is ignored, and the best path is taken. Paths differ in how they round,
// and a process never mixes them.
package kernel
