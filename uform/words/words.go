package words

import (
	"context"
	_ "embed" // the checkpoint below

	"github.com/unum-cloud/uform-go/uform"
)

//go:embed words.safetensors
var checkpoint string

// Checkpoint returns a copy of the model's file.
func Checkpoint() []byte { return []byte(checkpoint) }

// Load loads the model into library.
func Load(ctx context.Context, library *uform.Library, options *uform.LoadOptions) (*uform.Model, error) {
	return library.LoadBytes(ctx, Checkpoint(), options)
}
