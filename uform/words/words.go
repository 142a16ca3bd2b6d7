package words

import (
	"bytes"
	"context"
	_ "embed" // the checkpoint below

	"github.com/unum-cloud/uform-go/uform"
)

//go:embed words.safetensors
var checkpoint []byte // a slice, unlike a string, is loaded without a copy; nothing writes to it

// Checkpoint returns a copy of the model's file.
func Checkpoint() []byte { return bytes.Clone(checkpoint) }

// Load loads the model into library.
func Load(ctx context.Context, library *uform.Library, options *uform.LoadOptions) (*uform.Model, error) {
	return library.LoadBytes(ctx, checkpoint, options)
}
