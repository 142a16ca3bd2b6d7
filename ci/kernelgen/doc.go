// Command kernelgen writes the vector routines of internal/kernel: assembly for AVX2 with FMA,
// AVX-512 and the vectors of arm64, and its Go declarations. It is a module of its own, so that
// users of the library do not get its dependencies.
//
//	go run -C ci/kernelgen .          writes the files
//	go run -C ci/kernelgen . -check   fails if one of them differs from what would be written
//
// A file here has the name of its output: product_avx2.go writes product_avx2_generated_amd64.s and
// .go. switch.go writes the Go functions that choose the routine for a number of rows; neon.go is
// an assembler for arm64; interleave.go writes loops over long chains of instructions several steps
// at a time; activation.go has constants, of which gelu.py finds some.
//
// Every routine takes pointers and lengths that its caller in internal/kernel has checked, reads
// and writes nothing beyond them, and ends with VZEROUPPER: dirty upper halves make later scalar
// instructions slow. Assembly cannot be preempted, so callers bound the work of one call.
package main
