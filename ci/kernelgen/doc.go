// Command kernelgen writes the vector routines of internal/kernel: assembly for AVX2 with FMA, and the Go declarations
// that go with it. It is a module of its own, so that nobody who uses the library needs what it needs.
//
//	go run -C ci/kernelgen .          writes the files
//	go run -C ci/kernelgen . -check   fails if one of them differs from what would be written
//
// panel.go has the matrix product, rows.go what is done to one row element by element, sums.go the reductions, and
// exponential.go what needs an exponential.
//
// Every routine takes pointers and lengths whose sense its caller in internal/kernel has checked, reads and writes
// nothing beyond them, and ends with VZEROUPPER: dirty upper halves make the next scalar instruction slow. Assembly
// cannot be preempted, so callers bound the work of one call.
package main
