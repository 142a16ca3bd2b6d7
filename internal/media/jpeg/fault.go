package jpeg

import (
	"fmt"

	"github.com/unum-cloud/uform-go/errors"
)

func malformed(format string, arguments ...any) error {
	return fmt.Errorf(format+": %w", append(arguments, errors.ErrMalformed)...)
}

func unsupported(format string, arguments ...any) error {
	return fmt.Errorf(format+": %w", append(arguments, errors.ErrUnsupported)...)
}

func endsEarly() error {
	return malformed("the JPEG ends early: the file is cut off")
}
