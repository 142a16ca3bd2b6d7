// Command search finds the lines that are nearest to a query.
//
// Without arguments it searches a corpus of its own for a few queries of its own:
//
//	go run ./examples/search
//	go run ./examples/search -scalar i8
//	go run ./examples/search -query 'my password is forgotten'
//
// Otherwise it searches the lines of the files that it is given, for one query or for each line of
// standard input. A file named "-" is standard input:
//
//	go run ./examples/search -k 3 notes.txt letters.txt < queries.txt
//	go run ./examples/search -query "a cat" - < notes.txt
//
// It shows the blocking receiver, one arena for many calls, an index of package nearest, and how an
// error names the line at fault. With -scalar the index keeps embeddings in a smaller kind, and the
// program compares the ranking with that of 32-bit floats.
//
// The embedded model is that of package words: lines need not share a word with a query to be
// found. -model loads another one, or a folder as Hugging Face has it.
package main
