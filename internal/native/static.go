//go:build uform_static

package native

// static is whether the tag uform_static leaves the loader of shared libraries out.
const static = true
