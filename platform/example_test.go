package platform_test

import (
	"fmt"

	"github.com/unum-cloud/uform-go/platform"
)

// Pages are outside of Go's heap, zeroed, and gone when they are closed.
func Example() {
	pages, err := platform.MapPages(10)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pages.Close()
	fmt.Println(len(pages.Bytes()) >= 10, pages.Bytes()[9])
	// Output: true 0
}
