// Package loader fills the table of entry points, [abi.Library], from a shared library.
//
//	library, err := loader.Open(nil)
//	if origin, ok := loader.Embedded(err); ok { … } // none was named, none was found: the engine may stand in
//
// Which library it is, by falling rank: the one that [Options] name, the one that the environment
// variable UFORM_LIBRARY names, one beside the program, one in the system's folders. A named
// library that cannot be used is an error; one that was only found is skipped, and [Origin] keeps
// the reason. The working directory is never searched.
//
// A library is believed nothing. Before it is loaded its file has to be a whole shared library for
// this processor. Before it is used it has to export every required symbol, have this package's
// major version, agree with every offset of the Go mirrors where it can tell them, and make,
// describe and free one arena. What it was asked and what it could not be asked is in [Origin] too.
// A library is loaded once, however often it is opened, and never unloaded.
//
// Builds without a loader of shared libraries, which [platform.Native] tells, have the same
// functions: they find nothing and say why.
package loader
