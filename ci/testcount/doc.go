// Command testcount runs `go test -json` with its arguments, prints what failed and what each
// package took, and ends with the counts. Its exit status is that of the tests.
package main
