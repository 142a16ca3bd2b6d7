// Package kernel is the arithmetic of the engine: matrix products, row operations, conversions
// between scalar kinds, and loops over pixels. It knows nothing of models, files or threads.
//
// A weight matrix is packed once, into panels of sixteen outputs ([Packed], or [PackedBytes] with
// activations in [Bytes]), and multiplied many times. Activations are plain row-major slices with a
// stride, counted in scalars. Every routine works on the calling goroutine, keeps no reference to
// its arguments, and panics only if slices are shorter than their documented shapes, as indexing
// does.
//
// Two properties hold for every routine, and all callers rely on them:
//
//   - A row of a result depends on its own row of the input alone, bit for bit. Rows may be
//     computed one at a time or a thousand at a time, in any grouping, with the same bits.
//   - Nothing is allocated, except by the packing of weights, and where a [Packed] or [Bytes]
//     has to grow.
//
// The innermost loops of the decoders of media are here too: JPEG's inverse transform, the filters
// of PNG and of VP8's edges, the interpolation and conversion of colours, and resizing. Of these
// every path gives the same bits: most compute in whole numbers, and the others round each product
// and sum in the same order. The filters of recordings round as products do.
//
// The routines with versions for processors are the fields of one table, routines in dispatch.go;
// paths_amd64.go and paths_arm64.go say which of them a path replaces. Those of media are in
// tables of their own, in media.go. A file's name ends with its instruction set, and files that
// ci/kernelgen writes have generated in the name: product_avx512_generated_amd64.s. There is
// assembly for AVX2 with FMA and F16C, for AVX-512, and for the vectors of arm64; any other
// processor uses the portable loops. The environment variable UFORM_KERNEL forces a path:
// "portable", "neon", "avx2" or "avx512". It is read once, at the first use; an unknown name, or a
// path that the processor lacks, is ignored, and the best path is used. Paths differ in rounding,
// and a process never mixes them.
package kernel
