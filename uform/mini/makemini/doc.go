// Command makemini writes the checkpoint of package mini. It draws every weight from a fixed seed,
// so it always writes the same bytes.
package main
