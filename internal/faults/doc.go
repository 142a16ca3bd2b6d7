// Package faults tests package uform under load, and when what it depends on fails: memory, files,
// the system's loader, signals, a library that misbehaves. It contains only tests.
//
//	# The short form, in seconds.
//	go test ./internal/faults
//	# Ten minutes of load on each implementation.
//	UFORM_LONG=1 go test -run TestLoad -v -timeout 30m ./internal/faults
//	# The number of allocations of each step, each of which fails once.
//	go test -run TestOutOfMemory -v ./internal/faults
//
// The verbs are in one table (verbs_test.go). A verb that an implementation does not serve is
// skipped, and the log says so.
package faults
