// Package command is the shared part of the example programs: flags whose help begins with what the
// program does, an exit status for each way to end, interrupts, standard input under the name "-",
// and a line of progress.
package command
