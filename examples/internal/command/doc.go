// Package command is what the example programs have in common around their work: flags whose help
// begins with what the program does, an exit status for each way to end, interrupts, standard input
// under the name "-", and a line of progress.
package command
