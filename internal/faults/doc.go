// Package faults tests package uform under load, and when what it depends on fails: memory, files,
// the system's loader, signals, a library that misbehaves. It contains only tests.
//
//	go test ./internal/faults                                            the short form, in seconds
//	UFORM_LONG=1 go test -run TestLoad -v -timeout 30m ./internal/faults ten minutes of load on each implementation
//	go test -run TestOutOfMemory -v ./internal/faults                    how many allocations each step makes, and that each may fail
//
// The verbs are in one table (verbs_test.go). A verb that an implementation does not serve is
// skipped, and the log says so.
package faults
