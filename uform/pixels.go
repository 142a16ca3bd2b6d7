package uform

import (
	"context"
	"fmt"
	"image"
	"slices"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// Pixels is a batch of decoded images: interleaved 8-bit RGB, row by row from the top. Item i has
// Heights[i] rows of Widths[i] pixels, and Tape holds its Heights[i]·Widths[i]·3 bytes. [Images]
// makes it from Go's images. Goroutines may share Pixels that none of them changes.
type Pixels struct {
	Tape
	Heights, Widths []uint32
}

// Images is a batch of Go's images, converted. Transparent parts become white.
func Images(images ...image.Image) Pixels {
	var p Pixels
	var rows Tape
	for _, source := range images {
		converted := raster.FromImage(source, [3]uint8{255, 255, 255})
		rows.Append(converted.RGB)
		p.Heights = append(p.Heights, uint32(converted.Height))
		p.Widths = append(p.Widths, uint32(converted.Width))
	}
	p.Data, p.Offsets = rows.Data, rows.Offsets
	return p
}

// check refuses a batch whose sizes are not one for each image.
func (p Pixels) check(verb, what string) error {
	count := p.Len()
	if len(p.Heights) != count || len(p.Widths) != count {
		err := fmt.Errorf("there are %d images, %d heights and %d widths", count, len(p.Heights), len(p.Widths))
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, err)
	}
	return p.Tape.check(verb, what)
}

func (p Pixels) clone() Pixels {
	return Pixels{Tape: p.Tape.clone(), Heights: slices.Clone(p.Heights), Widths: slices.Clone(p.Widths)}
}

var imageEncodePixels = encodeVerb("encode pixels", "pixels",
	func(table *abi.Library) func(*abi.ImageEncodePixels) { return table.ImageEncodePixels },
	func(b *box[abi.ImageEncodePixels, encodeInputs[Pixels]], f frame) {
		pixels := &b.inputs.items
		b.arguments = abi.ImageEncodePixels{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(pixels.Len()), Pixels: pixels.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		if pixels.Len() > 0 {
			b.arguments.Heights, b.arguments.Widths = &pixels.Heights[0], &pixels.Widths[0]
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	})

// ImageEncodePixels encodes decoded images, on the calling goroutine's thread. An item whose bytes
// are not its height times its width times three is [ErrShapeMismatch] and names the item. It calls
// uform_image_encode_pixels.
func (m *Model) ImageEncodePixels(ctx context.Context, pixels Pixels, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, imageEncodePixels, m.here(), pixels, into, options)
}

// ImageEncodePixels is [Model.ImageEncodePixels] on the executor. It is [ErrContended] while
// another call holds the executor.
func (on On) ImageEncodePixels(ctx context.Context, pixels Pixels, into *Arena, options *EncodeOptions) (Encoded, error) {
	return encodeItems(ctx, imageEncodePixels, on.receiver, pixels, into, options)
}

// ImageEncodePixels is [Model.ImageEncodePixels], submitted to the executor. The pixels are copied.
func (d Deferred) ImageEncodePixels(ctx context.Context, pixels Pixels, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	return submitItems(ctx, imageEncodePixels, d.receiver, pixels, into, options)
}
