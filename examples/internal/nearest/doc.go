// Package nearest is what the examples images, audio and video have in common: they encode files,
// find those nearest to one of them, and draw a contact sheet of what they found.
//
// A program gives it a [Medium]: the samples to begin with, the verb, and how a file looks on the
// sheet.
package nearest
