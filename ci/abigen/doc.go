// Abigen reads abi/uform.h with a C parser and writes everything in this binding that repeats the
// header: the enumerations, the Go mirrors of the C structs, the table of entry points, the code
// that fills it from symbol addresses, the sentinel errors, and a table of every size, offset and
// width with the proof that the mirrors keep it.
//
// It is a module of its own, so that users of the binding do not depend on the parser. Run it
// through
//
//	go generate ./abi
//
// or directly. With -check it only reports which committed files differ from what it would write:
//
//	go run . -root ../.. [-check]
//
// The steps, by file:
//
//   - parse.go turns the header, as one target sees it, into a [Header]: declarations, comments,
//     sizes and offsets;
//   - types.go says which Go type stands for which C type, by shape, with the few exceptions listed
//     by name;
//   - naming.go and comment.go turn C names and Doxygen comments into Go ones;
//   - layout.go parses for every target and demands that they agree, facts.go writes the table, the
//     measurement, the proof;
//   - enums.go, mirrors.go, table.go and register.go write the rest;
//   - check.go type-checks what was written, for 64-bit and 32-bit targets, before anything reaches
//     the disk;
//   - probe.go is the second, independent proof: it asks C compilers instead of the parser.
//
// To adopt another header, replace the committed one and generate again. A construct without a
// rule, or another number of declarations than main.go expects, is an error that names the
// declaration.
package main
