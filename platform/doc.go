// Package platform holds what differs between operating systems, so that nothing above it has to
// ask which one it runs on.
//
// Memory: [MapFile] and [MapPages] give bytes outside of Go's heap, [PageSize] their granularity.
//
// Time: [Nap] sleeps for less than a millisecond where the system can, [Yield] gives the processor
// away.
//
// Shared libraries, in the order in which a loader needs them: [Native] says whether this build can
// load any,
// [Privileged] whether the environment may be believed, [Places] and [LibraryNames] where to look, [Protected] and
// [Inspect] whether a file there may be touched. [PrivateFile] gives a path to what only exists in memory.
//
// Where a system lacks a facility the function exists nevertheless and does the next best thing,
// which its comment names.
package platform
