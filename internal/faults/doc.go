// Package faults shows what package uform does when it is used hard, and when what it stands on fails: memory, files, the
// system's loader, signals, a library that misbehaves. It has no code of its own but tests.
//
//	go test ./internal/faults                                            the short form, in seconds
//	UFORM_LONG=1 go test -run TestLoad -v -timeout 30m ./internal/faults ten minutes of load on each implementation
//	go test -run TestOutOfMemory -v ./internal/faults                    how many allocations each step makes, and that each may fail
//
// Verbs stand in one table (verbs_test.go). One that an implementation does not serve is left out there, and the log says so.
package faults
