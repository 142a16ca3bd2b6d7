package handle_test

import (
	"fmt"

	"github.com/unum-cloud/uform-go/internal/handle"
)

// A reference keeps the handle from being freed, a call keeps Close from returning.
func Example() {
	arena := handle.New(uintptr(1), func(uintptr) { fmt.Println("freed") })
	arena.Refer()
	arena.Close()
	fmt.Println("closed:", arena.Closed(), "usable:", arena.BeginCall())
	arena.Unrefer()
	// Output:
	// closed: true usable: false
	// freed
}
