package errors_test

import (
	stderrors "errors"
	"fmt"

	"github.com/unum-cloud/uform-go/errors"
)

// A caller compares with a sentinel, and takes the details from the Error.
func Example() {
	var err error = errors.New("encode texts", errors.ErrMalformed, 2, stderrors.New("byte 7 is not UTF-8"))
	var failure *errors.Error
	if stderrors.Is(err, errors.ErrMalformed) && stderrors.As(err, &failure) {
		fmt.Println("bad item:", failure.Item)
	}
	fmt.Println(err)
	// Output:
	// bad item: 2
	// uform: encode texts: item 2: malformed: byte 7 is not UTF-8
}
