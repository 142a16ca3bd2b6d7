// Command train teaches a model which texts belong together.
//
//	go run ./examples/train pairs.tsv trained.safetensors
//
// Each line of the file, or of standard input as "-", is two texts with a tab between them. A tenth
// of the pairs is held out: before and after, the program reports how often the partner of a
// held-out text is found among all held-out partners. During training it draws a bar with the loss,
// and at the end the loss of every step as a curve, in an SVG file beside the checkpoint. The other
// examples can load the checkpoint:
//
//	go run ./examples/encode -model trained.safetensors
//
// Without arguments it trains on built-in sentences, which say the same in different words
// (phrases.go), and writes to the system's folder for temporary files. It starts from the embedded
// model of package mini, or from the one that -model names. That may be a file that this program
// wrote: then the run continues where it ended. An interrupt ends training early, and the
// checkpoint is saved.
//
// Started by mpirun -n 4, four processes share the work of one; the first of them prints and saves.
//
// It shows a training run: a trainer, steps with a learning rate of the caller's for each, saving,
// loading (learning.go).
package main
