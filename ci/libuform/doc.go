// Command libuform builds the C library of testdata, if it is not built yet, and prints its path.
package main
