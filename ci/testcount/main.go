package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/unum-cloud/uform-go/ci/testcount/count"
)

func main() {
	arguments := []string{"test", "-json"}
	rest := os.Args[1:]
	if len(rest) > 1 && rest[0] == "-C" {
		// The go command requires this flag before all others.
		arguments, rest = []string{"test", rest[0], rest[1], "-json"}, rest[2:]
	}
	command := exec.Command("go", append(arguments, rest...)...)
	command.Stderr = os.Stderr
	counts, err := count.Run(command, os.Stdout, nil)
	fmt.Printf("%d passed, %d failed, %d skipped\n", counts.Passed, counts.Failed, counts.Skipped)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
