package words

import (
	"context"
	"sync"

	"github.com/unum-cloud/uform-go/uform"
)

// shared is the model of [Embed]. The first successful call loads it, and it stays for the life of
// the process.
var shared struct {
	mutex sync.Mutex
	model *uform.Model
}

// Embed returns one embedding for each text: 384 floats of unit length, in memory of its own. The
// dot product of two is their similarity.
//
// The first call loads the model into the embedded engine, which takes milliseconds and some tens
// of megabytes; all calls share it, and it is never closed. Goroutines may call Embed at once: each
// works on its own thread. Long texts, cancelling and errors are as for [uform.Model.Embed]. A
// program that wants a shared library, an executor or a [uform.Pool] uses [Load].
func Embed(ctx context.Context, texts []string) ([][]float32, error) {
	model, err := load(ctx)
	if err != nil {
		return nil, err
	}
	return model.Embed(ctx, texts)
}

// load returns the shared model. If a load fails, for example because its context ends, the next
// call tries again.
func load(ctx context.Context) (*uform.Model, error) {
	shared.mutex.Lock()
	defer shared.mutex.Unlock()
	if shared.model != nil {
		return shared.model, nil
	}
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return nil, err
	}
	shared.model, err = Load(ctx, library, nil)
	return shared.model, err
}
