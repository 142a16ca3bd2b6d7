package mpitest_test

import (
	"fmt"
	"testing"

	"github.com/unum-cloud/uform-go/internal/mpi/mpitest"
)

// A test starts a program as four processes, with every launcher that there is.
func Example() {
	test := func(t *testing.T) {
		mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
			said, err := launcher.Run(t, 4, []string{"NAME=value"}, "--", "/bin/program", "argument")
			fmt.Println(said, err)
		})
	}
	fmt.Printf("%T\n", test)
	// Output: func(*testing.T)
}
