package sound

import (
	"fmt"

	"github.com/unum-cloud/uform-go/errors"
)

// fault is the reason why a file was refused. Its text leaves out the status, since [errors.Error]
// names it.
type fault struct {
	status errors.Status
	text   string
}

func (f *fault) Error() string { return f.text }

// Unwrap makes the status visible to errors.Is.
func (f *fault) Unwrap() error { return f.status }

func malformed(format string, arguments ...any) error {
	return &fault{errors.ErrMalformed, fmt.Sprintf(format, arguments...)}
}

func unsupported(format string, arguments ...any) error {
	return &fault{errors.ErrUnsupported, fmt.Sprintf(format, arguments...)}
}

// early returns the fault of a file that has less data than it declares.
func early(format Format, where string) error {
	return malformed("the %v file ends early, %s; record or copy it again", format, where)
}
