// Command libuform builds the C library of testdata, where that was not done yet, and prints its
// path.
package main
