// Command beam turns the lines of many files into vectors, in Parquet, with Apache Beam: on one
// machine with the runner prism, or on a cluster of Flink or Dataflow.
//
//	go run . -input 'lines/*.txt' -output vectors -scalar i8
//
// Files are divided into parts of -part bytes, and a part is the unit of work: one worker reads its
// lines, encodes them in batches, and writes one Parquet file, from the memory that the vectors
// were computed in. Only the names of parts travel between workers, neither texts nor vectors. A
// part that is done again after a failure writes the same file again, under the same name.
//
// A row has the columns file, offset (of the line in its file, in bytes) and vector, a fixed-size
// list. Rows of one part are in the order of its lines.
//
// A line that cannot be encoded, as one that is not UTF-8, never fails the job: it is a line of the
// file that -bad names, a JSON object with its file, offset and cause. A line longer than the
// model's context is cut to its head, and counted.
//
// docs/scale.md has the commands for clusters, and what 10⁹ texts cost.
package main
