// Package nearest is the shared part of the examples images, audio and video: they encode files,
// find those nearest to one of them, and draw a contact sheet of the result.
//
// A program passes a [Medium]: the default files, the verb, and how a file is drawn on the sheet.
package nearest
