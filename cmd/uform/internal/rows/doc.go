// Package rows writes vectors with the names of their items: as a NumPy array, JSON lines,
// tab-separated lines, or Parquet. A file of rows can be written in several runs: [Output] keeps
// how far it came beside it.
package rows
