// Package docs tests the pages that people read: README.md and those in docs.
//
// A fenced block of Go that begins with "package main" is a program. It is run as it stands, from
// the module's root, and must print the block of text that follows it. A console block holds
// commands after "$ ", which are run in a shell, and their output.
package docs
