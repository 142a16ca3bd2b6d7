// Package native opens shared libraries, registers and calls their functions, and gives C the
// addresses of Go functions. It is the only package that imports purego: what is above it compiles
// on every system without a build line.
//
// [Supported] says whether this build can do so. Its build line, in systems.go, is the one list of
// systems; systems_not.go has its negation and the stubs. Elsewhere [Open], [Symbol] and [Callback]
// fail with [Unsupported], and nothing else can be called: there is no handle and no address.
//
// The tag uform_static leaves purego out. The tag uform_portable makes [Call] a form of [SyscallN]
// in place of a linkname.
package native
