package uform

import (
	"context"
	"fmt"
	"image"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/lending"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// Pixels is a batch of decoded images: interleaved 8-bit RGB, row by row from the top. Item i has Heights[i] rows of Widths[i]
// pixels, and Tape holds its Heights[i]·Widths[i]·3 bytes. [Images] makes it from Go's images. Goroutines may share
// Pixels that none of them changes.
type Pixels struct {
	Tape
	Heights, Widths []uint32
}

// Images is a batch of Go's images, converted. What they let through shows white.
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

type pixelInputs struct {
	asked
	pixels Pixels
}

type pixelsBox = box[abi.ImageEncodePixels, pixelInputs]

const encodingPixels = "encode pixels"

var imageEncodePixels = &verb[abi.ImageEncodePixels, pixelInputs, Encoded]{
	name:   encodingPixels,
	entry:  func(table *abi.Library) func(*abi.ImageEncodePixels) { return table.ImageEncodePixels },
	extent: func(in *pixelInputs) (items, bytes int) { return in.pixels.Len(), in.pixels.size() },
	check: func(_ *Model, in *pixelInputs) error {
		count := in.pixels.Len()
		if len(in.pixels.Heights) != count || len(in.pixels.Widths) != count {
			err := fmt.Errorf("there are %d images, %d heights and %d widths", count, len(in.pixels.Heights), len(in.pixels.Widths))
			return errors.New(encodingPixels, errors.ErrInvalidArgument, errors.NoItem, err)
		}
		if err := in.asked.check(encodingPixels); err != nil {
			return err
		}
		return in.pixels.check(encodingPixels, "pixels")
	},
	overlaps: func(in *pixelInputs, into *lending.Arena) bool { return into.Holds(in.pixels.within()) },
	own: func(in *pixelInputs) {
		in.pixels = Pixels{
			Tape:    in.pixels.clone(),
			Heights: append([]uint32(nil), in.pixels.Heights...),
			Widths:  append([]uint32(nil), in.pixels.Widths...),
		}
	},
	place: func(b *pixelsBox, f frame) {
		b.arguments = abi.ImageEncodePixels{
			Model: f.model, Executor: f.executor, Outcome: f.outcome, Completion: f.completion, Scalar: b.inputs.scalar,
			Count: uintptr(b.inputs.pixels.Len()), Pixels: b.inputs.pixels.view(),
			Progress: f.progress, ProgressState: f.progressState, Arena: f.arena,
		}
		if b.inputs.pixels.Len() > 0 {
			b.arguments.Heights, b.arguments.Widths = &b.inputs.pixels.Heights[0], &b.inputs.pixels.Widths[0]
		}
		b.arguments.Embeddings, b.arguments.States = b.outputs(b.inputs.asked)
	},
	result: func(b *pixelsBox, _ *Model, lease lending.Lease) (Encoded, error) {
		return b.encoded(encodingPixels, b.inputs.asked, b.inputs.pixels.Len(), arena.Unknown, lease)
	},
}

// ImageEncodePixels encodes decoded images, on the calling goroutine's thread. An item whose bytes are not its height times its width times
// three is [ErrShapeMismatch] and names the item. It calls uform_image_encode_pixels.
func (m *Model) ImageEncodePixels(ctx context.Context, pixels Pixels, into *Arena, options *EncodeOptions) (Encoded, error) {
	return m.here().imageEncodePixels(ctx, pixels, into, options)
}

// ImageEncodePixels is [Model.ImageEncodePixels] on the executor. It is [ErrContended] while another call holds the executor.
func (on On) ImageEncodePixels(ctx context.Context, pixels Pixels, into *Arena, options *EncodeOptions) (Encoded, error) {
	return on.receiver.imageEncodePixels(ctx, pixels, into, options)
}

// ImageEncodePixels is [Model.ImageEncodePixels], submitted to the executor. The pixels are copied.
func (d Deferred) ImageEncodePixels(ctx context.Context, pixels Pixels, into *Arena, options *EncodeOptions) (*deferred.Call[Encoded], error) {
	a, progress := options.asked()
	return imageEncodePixels.submit(ctx, d.receiver, into, progress, pixelInputs{a, pixels})
}

func (r receiver) imageEncodePixels(ctx context.Context, pixels Pixels, into *Arena, options *EncodeOptions) (Encoded, error) {
	a, progress := options.asked()
	return imageEncodePixels.block(ctx, r, into, progress, pixelInputs{a, pixels})
}
