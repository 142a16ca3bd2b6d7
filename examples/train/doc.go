// Command train teaches a model which texts belong together.
//
//	go run ./examples/train pairs.tsv trained.safetensors
//
// Each line of the file, or of standard input as "-", is two texts with a tab between them. A tenth
// of the pairs is held out: before and after, the program reports how often the partner of a
// held-out text is found among all held-out partners. While it learns it draws a bar with the loss,
// and at the end the loss of every step as a curve, in an SVG file beside the checkpoint. The
// checkpoint is one that the other examples load:
//
//	go run ./examples/encode -model trained.safetensors
//
// Without arguments it learns from sentences of its own, which say the same in other words
// (phrases.go), and writes to the system's folder for temporary files. It begins with the embedded
// model of package mini, or with the one that -model names, which may be a file that this program
// wrote: then the run goes on where it ended. An interrupt ends it with what was learned so far.
//
// Started by mpirun -n 4, four processes share what one would learn; the first of them tells of it,
// and saves.
//
// It shows a training run: a trainer, steps with a learning rate of the caller's for each, saving,
// loading (learning.go).
package main
