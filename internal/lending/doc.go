// Package lending lends arenas to calls and keeps track of who reads what the calls left.
//
// An [Arena] has one user at a time: the call that holds its [Lease], or readers that pin it. Each
// lease is a generation of the arena's contents; [Rows] and [Tape] remember the generation that
// they belong to, so views of an earlier one are refused as stale.
//
// Package uform lends arenas, package arena defines the types that users see from those of this
// package, and has the tests of both.
package lending
