// Package nearest finds the rows that are nearest to a query, exactly: it compares the query with
// every row.
//
// An index has rows of equal length, with a key each. What a key stands for, a line number or a row
// of a database, is the program's own matter:
//
//	vectors, err := words.Embed(ctx, texts)
//	index, err := nearest.New(&nearest.Options{Columns: len(vectors[0])})
//	err = index.Add(keys, vectors)
//	matches, err := index.Search(ctx, query, 10, nil)
//
// Rows are f32, or half or a quarter of that: f16, or i8 with a scale for each row. They are
// compared by cosine, dot product or Euclidean distance. A filter leaves rows out of a search, and
// [Index.SearchBatch] answers many queries in one pass over the rows.
//
// # Files
//
// [Index.Save] replaces a file in one step, so that it is always whole. [Open] maps it, and reads
// rows from it as searches need them. An open index can be changed: changes are kept in RAM until
// the next save. docs/nearest.md describes the file.
//
// # Exact results
//
// Scores are those of a plain loop over the stored rows in 64 bits, and equal scores are in the
// order of their keys. So results do not depend on the processor, on the number of goroutines, or
// on the other queries of a batch.
//
// # How much is a lot
//
// A pass over a million rows of 384 columns in f32 reads 1.5 GB, which takes about as long as
// reading them does: a tenth of a second where memory is read at 15 GB/s. docs/nearest.md has
// figures. Beyond some millions of rows, an approximate index serves better.
//
// # Goroutines
//
// Any number of goroutines may search and change an index at once; see [Index].
package nearest
