// Package native opens shared libraries, registers and calls their functions, and gives C the address of Go functions.
// It is the only package that imports purego: what is above it compiles on every system without a build line.
//
// [Supported] says whether this build can do so. Its build line, in systems.go, is the one list of systems; systems_not.go
// has its negation and the stubs. The other functions report [Unsupported] there, or cannot be reached, because
// no handle and no address exists that they could be given.
//
// The tag uform_static leaves purego out. The tag uform_portable replaces the linkname of [Call] by [SyscallN].
package native
