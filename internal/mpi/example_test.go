package mpi_test

import (
	"fmt"

	"github.com/unum-cloud/uform-go/internal/mpi"
)

// A program asks who it is, and joins the others where there are any. This one was started without
// a launcher.
func Example() {
	index, count, launched := mpi.Launched()
	fmt.Println("process", index, "of", count, launched)
	if count == 1 {
		return // and needs no MPI
	}
	run, err := mpi.Join(index, count)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer run.Close()
	// Output: process 0 of 1 false
}
