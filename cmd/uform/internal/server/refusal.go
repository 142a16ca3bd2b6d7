package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/unum-cloud/uform-go/uform"
)

// reason is why a request is refused. Each API has a status, and words, of its own for it.
type reason int

const (
	invalid      reason = iota // the request is wrong
	empty                      // it has no items
	malformed                  // an item is not what it should be, such as a picture that is none
	unsupported                // the model cannot do it
	unknownModel               // no model has the name
	unknownRoute
	wrongMethod
	unauthorized // the key is missing or wrong
	forbidden    // a page of another site
	tooLarge     // the body or the number of items
	tooSlow      // the body did not arrive in time
	overloaded   // the queue, the requests or their memory are at their limit
	draining     // the server is about to end
	cancelled    // the client is gone
	internal     // none of the client's doing
)

// refusal is why a request is not answered, for the client's API to put into its shape. It is an
// error.
type refusal struct {
	reason  reason
	message string
	// field is the field of the body at fault, empty for none, item the index of the item in it, or
	// noItem.
	field string
	item  int
}

const noItem = -1

func (r *refusal) Error() string { return r.message }

func refuse(why reason, field string, format string, values ...any) *refusal {
	return &refusal{reason: why, field: field, item: noItem, message: fmt.Sprintf(format, values...)}
}

// refuseItem names the item of a field in its message.
func refuseItem(why reason, field string, item int, format string, values ...any) *refusal {
	r := refuse(why, field, "%s[%d]: %s", field, item, fmt.Sprintf(format, values...))
	r.item = item
	return r
}

// ofModel is the refusal that an error of the library is. The item of the error is one of field.
func ofModel(err error, field string) *refusal {
	known := new(refusal)
	if errors.As(err, &known) {
		return known
	}
	failure := new(uform.Error)
	if !errors.As(err, &failure) {
		return refuse(internal, "", "%v", err)
	}
	why := internal
	switch {
	case errors.Is(err, uform.ErrCancelled), errors.Is(err, context.Canceled):
		why = cancelled
	case errors.Is(err, uform.ErrMalformed), errors.Is(err, uform.ErrShapeMismatch):
		why = malformed
	case errors.Is(err, uform.ErrUnsupported):
		why = unsupported
	case errors.Is(err, uform.ErrInvalidArgument) && failure.Item >= 0:
		why = invalid
	}
	text := failure.Status.Error()
	if failure.Cause != nil {
		text = failure.Cause.Error()
	}
	if failure.Item >= 0 {
		return refuseItem(why, field, failure.Item, "%s", text)
	}
	return refuse(why, "", "%s: %s", failure.Verb, text)
}

// status is the HTTP status that most APIs have for a reason.
func (r reason) status() int {
	switch r {
	case unknownModel, unknownRoute:
		return 404
	case wrongMethod:
		return 405
	case unauthorized:
		return 401
	case forbidden:
		return 403
	case tooLarge:
		return 413
	case tooSlow:
		return 408
	case overloaded:
		return 429
	case draining:
		return 503
	case cancelled:
		return 499 // nobody reads it; the metrics count it
	case internal:
		return 500
	}
	return 400
}
