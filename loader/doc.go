// Package loader fills the table of entry points, [abi.Library], from a shared library.
//
// Most programs never import it: uform.Open loads a shared library through it, and uses the engine
// where there is none.
//
//	library, err := loader.Open(nil)
//	if origin, ok := loader.Embedded(err); ok {
//		// None was named and none was found: the engine may be used instead.
//	}
//
// It takes the first of these: the library that [Options] name, the one that the environment
// variable UFORM_LIBRARY names, one in the folder of the program, one in the system's folders. A
// library that was named and cannot be used is an error. One that was only found and cannot be used
// is skipped, and [Origin] has the reason. The working directory is never searched.
//
// Every library is checked. Before it is loaded, its file must be a complete shared library for
// this processor. Before it is used, it must export every required symbol, have this package's
// major version, have the same offsets as the Go mirrors of its structs, and make, describe and
// free one arena. A library that has no function to report its version or its offsets is used
// without that check, unless [Options] forbid it; Origin lists the checks that passed and those
// that could not be made.
//
// A library is loaded once, however often it is opened, and never unloaded.
//
// A build that cannot load shared libraries (see [platform.Native]) has the same functions: they
// find nothing and return the reason.
//
// The types of this package are plain values: goroutines may share one as long as none of them
// changes it.
package loader
