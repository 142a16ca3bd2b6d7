// Package items reads what commands embed: lines of files, whole files, and the files of folders. A
// reading can be stopped and resumed at the end of any batch.
package items
