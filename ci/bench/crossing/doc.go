// Package crossing calls C by cgo, for the benchmarks to compare with.
//
// It is apart from them, as cgo makes a package of its own kind out of whatever it is in. Without
// cgo it does nothing and says so.
package crossing
