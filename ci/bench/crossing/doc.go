// Package crossing calls C by cgo, as a baseline for the benchmarks.
//
// It is a separate package, since one file with cgo makes its whole package depend on a C compiler.
// Without cgo its functions are stubs, and Linked is false.
package crossing
