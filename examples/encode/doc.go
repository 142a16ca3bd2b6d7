// Command encode turns lines of text into vectors.
//
// Without input it encodes built-in texts and prints how similar they are:
//
//	go run ./examples/encode
//
// As a filter it writes one vector for each line, of standard input (if it is not a terminal, or is
// named "-") or of files, in their order:
//
//	go run ./examples/encode -format tsv < lines.txt > vectors.tsv
//	go run ./examples/encode -format npy -progress a.txt b.txt > vectors.npy
//
// It shows how to keep every core busy with memory that does not grow with the input: one goroutine
// reads ahead, an executor computes a deferred call into one of two arenas, and the vectors of the
// call before are written from the other (pipeline.go).
//
// The formats are tsv, jsonl (one array per line) and npy (a NumPy version 1 file of float32 in n
// rows). Their numbers read back as exactly the floats that were computed.
//
// A line ends with LF, CR LF or the end of its file. A line longer than the model's context is cut
// to its head, and a note at the end reports how many there were. A line that is not UTF-8 is an
// error that names it, after the vectors of the lines before it; with -lossy each of its invalid
// bytes reads as U+FFFD. An interrupt ends the program with status 130, and only whole vectors were
// written.
//
// The embedded model is that of package words, small and English first; -model loads another
// checkpoint, or a folder as Hugging Face has it.
package main
