// Command uform serves the models of this module, and works with them from a shell:
//
//	go run -C cmd/uform . serve
//
// "uform help" lists the commands, "uform help serve" explains one, "uform completion" prints a
// script that completes them in a shell, and "uform man" prints the manual pages.
//
// Every command ends with status 0 if it succeeded, 1 if it failed, 2 if the command line is wrong,
// and 128 and the number of the signal if it was interrupted: 130 after Ctrl-C. An error is one
// line on standard error. A second Ctrl-C ends the program at once.
package main
