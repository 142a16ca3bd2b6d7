package loader_test

import (
	stderrors "errors"
	"fmt"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/loader"
)

// A library that was named and is not there is an error, which nothing stands in for.
func Example() {
	_, err := loader.Open(&loader.Options{Path: "/nowhere/libuform.so"})
	_, standsIn := loader.Embedded(err)
	fmt.Println(err != nil, standsIn)
	fmt.Println(stderrors.Is(err, errors.ErrLibraryMissing) || stderrors.Is(err, errors.ErrUnsupported))
	// Output:
	// true false
	// true
}
