// Package traintest connects goroutines of one process as if they were the processes of a training
// run, for tests of training without a launcher.
package traintest
