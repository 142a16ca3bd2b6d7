// Package contract is the conformance suite of libuform: one table of facts, each tested on every
// implementation of the table of entry points. It contains only tests.
//
//	go test ./internal/contract -run TestContract -v            every fact on every implementation
//	go test ./internal/contract -run TestContract/device/A -v   one section on one of them
//
// A test is named TestContract/<implementation>/<fact>_<words>, and below that table or api, where
// the fact is tested: the table of entry points itself, or package uform on top of it. The
// implementations are engine, the one in Go; native, the C library of testdata/libuform on the
// host; and device, its simulated GPU. Without a C compiler the last two are skipped with a
// message, and only the engine is tested.
//
// A fact that an implementation cannot have is reported as n/a with the reason, and does not count
// as held. The end of the output has the numbers of facts that are held, n/a and violated.
//
// The suite uses only the table, package uform, and a few functions that look inside an
// implementation (implementations_test.go). Values are compared with a second implementation of the
// checkpoint page, written for this suite alone (reference_test.go).
package contract
