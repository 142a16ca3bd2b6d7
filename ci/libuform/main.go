package main

import (
	"fmt"
	"os"

	"github.com/unum-cloud/uform-go/internal/loadertest"
)

func main() {
	path, err := loadertest.Library()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(path)
}
