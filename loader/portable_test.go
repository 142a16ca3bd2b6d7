//go:build uform_portable

package loader_test

// portable is whether calls take the form that allocates.
const portable = true
