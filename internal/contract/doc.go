// Package contract is the conformance suite of libuform: one table of facts, each shown on every implementation of the
// table of entry points. It has no code of its own but tests.
//
//	go test ./internal/contract -run TestContract -v            every fact on every implementation
//	go test ./internal/contract -run TestContract/device/A -v   one section on one of them
//
// A test is named TestContract/<implementation>/<fact>_<words>, and below that table or api for the place where the fact
// is shown: the table of entry points itself, or package uform on top of it. The implementations are engine, the one
// in Go; native, the C library of testdata/libuform on the host; and device, its simulated GPU. Without a C compiler the
// last two say so, and the engine is tested alone.
//
// A fact that an implementation cannot have is reported as n/a with the reason, and does not count as held. The end of the output counts
// both, and those that are violated.
//
// The suite looks at nothing but the table, package uform, and the few powers of an implementation that a table does
// not show (implementations_test.go). Values are compared with a second implementation of the checkpoint page, written
// for this suite alone (reference_test.go).
package contract
