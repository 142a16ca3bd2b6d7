// Package platform holds what differs between operating systems, so that no package above it
// compares names of systems. The loader and the engine are built on it; most programs never import
// it.
//
// Memory: [MapFile] and [MapPages] return bytes outside of Go's heap, and [PageSize] is the unit in
// which a system gives them.
//
// Files: [OpenRegular], [ReadRegular] and [ReadRegularFS] read regular files only, and
// [Replaceable] checks that a file may be written at a path.
//
// Time: [Nap] sleeps for less than a millisecond where the system can. [Yield] lets another thread
// have the processor.
//
// Shared libraries, in the order in which a loader needs them: [Native] says whether this build can
// load any (the list of systems is in internal/native/systems.go); [Privileged] whether the
// environment must be ignored; [Places] and [LibraryNames] where to look; [Protected] and [Inspect]
// whether a file that was found may be loaded. [PrivateFile] gives a path to data that only exists
// in memory.
//
// Every function exists on every system. Where a system lacks something, the function does the next
// best thing, which its comment names.
package platform
