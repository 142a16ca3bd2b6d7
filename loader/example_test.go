package loader_test

import (
	"errors"
	"fmt"

	uformerrors "github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/loader"
)

// A library that was named and is not there is an error, which nothing stands in for.
func Example() {
	_, err := loader.Open(&loader.Options{Path: "/nowhere/libuform.so"})
	_, standsIn := loader.Embedded(err)
	fmt.Println(err != nil, standsIn)
	fmt.Println(errors.Is(err, uformerrors.ErrLibraryMissing) || errors.Is(err, uformerrors.ErrUnsupported))
	// Output:
	// true false
	// true
}
