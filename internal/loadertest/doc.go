// Package loadertest builds shared libraries for tests of the native side.
//
//	path := loadertest.Need(t) // the C library of testdata/libuform, else the test is skipped
//
// A test is skipped only for what the machine or the build lacks: a C compiler for the target, a
// loader of shared libraries. Sources that do not compile fail it. The environment variable
// UFORM_CC names the compiler with its arguments, such as "clang -m32"; whoever names one gets a
// failure where it cannot do its work.
//
// The C library reads files of images, videos and recordings where pkg-config and the compiler find
// FFmpeg's development packages; without them those verbs are unsupported.
//
// Libraries are kept in the user's cache folder, by a hash of everything they are made of, and
// shared by all test processes.
package loadertest
