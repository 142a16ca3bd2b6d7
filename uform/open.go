package uform

import (
	"sync"

	"github.com/unum-cloud/uform-go/engine"
)

// Origin is
type Origin struct{ Kind string }

var embedded = sync.OnceValue(engine.New)

// Open opens.
func Open(options *OpenOptions) (*Library, error) {
	return &Library{table: embedded()}, nil
}

// OpenOptions are.
type OpenOptions struct{}
