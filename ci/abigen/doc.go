// Abigen reads abi/uform.h with a real C parser and writes everything in this binding that merely repeats the header:
// the enumerations, the Go mirrors of the C structs, the table of entry points, the code that fills it from symbol
// addresses, the sentinel errors, and a table of every size, offset and width with the proof that the mirrors keep it.
//
// It is a module of its own, because the parser is a dependency of nobody who uses the binding. Run it through
//
//	go generate ./abi
//
// or directly, where -check only reports which committed files differ from what the header asks for:
//
//	go run . -root ../.. [-check]
//
// The way of a header through the files here:
//
//   - parse.go turns the header, as one target sees it, into a [Header]: declarations, comments, sizes and offsets;
//   - types.go says which Go type stands for which C type, by shape, with the few exceptions listed by name;
//   - naming.go and comment.go turn C names and Doxygen comments into Go ones;
//   - layout.go parses for every target and demands that they agree, facts.go writes the table, the measurement, the proof;
//   - enums.go, mirrors.go, table.go and register.go write the rest;
//   - check.go type-checks what was written, for 64-bit and 32-bit targets, before anything reaches the disk;
//   - probe.go is the second, independent proof: it asks C compilers instead of the parser.
//
// When another header takes the place of the committed one, generating again is all the work. A construct the rules do
// not cover, or another number of declarations than main.go expects, is an error that names the declaration.
package main
