package engine

import (
	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// pixels are the arguments that only image_encode_pixels has.
type pixels struct {
	firstHeight, firstWidth *uint32
	heights, widths         []uint32
}

// raw is the medium of image_encode_pixels.
type raw struct{}

// imageEncodePixels implements [abi.Library.ImageEncodePixels].
func (l *library) imageEncodePixels(a *abi.ImageEncodePixels) {
	if a != nil {
		c := l.newEncoding(raw{}, encodeArguments{
			model: a.Model, executor: a.Executor, arena: a.Arena, outcome: a.Outcome,
			completion: a.Completion, scalar: a.Scalar, items: a.Pixels, count: a.Count,
			progress: a.Progress, progressState: a.ProgressState,
			embeddings: a.Embeddings, states: a.States,
		})
		c.pixels = pixels{firstHeight: a.Heights, firstWidth: a.Widths}
		c.submit(a.Completion, c.check())
	}
}

func (raw) items() string { return "images" }

func (raw) modality() abi.Modality { return abi.ModalityImage }

func (raw) admit(c *encodeCall) *fault {
	switch {
	case c.arguments.count == 0:
		return nil
	case c.pixels.firstHeight == nil:
		return refuse(abi.StatusInvalidArgument, "the heights are NULL, though count is not zero")
	case c.pixels.firstWidth == nil:
		return refuse(abi.StatusInvalidArgument, "the widths are NULL, though count is not zero")
	}
	return nil
}

func (raw) open(c *encodeCall) (f *fault) {
	if f = c.openFiles(); f != nil {
		return f
	}
	if c.pixels.heights, f = numbers(&c.call, "heights", c.pixels.firstHeight, c.arguments.count); f != nil {
		return f
	}
	c.pixels.widths, f = numbers(&c.call, "widths", c.pixels.firstWidth, c.arguments.count)
	return f
}

func (raw) measure(c *encodeCall) *fault {
	for i := range c.lengths {
		length := uint64(c.inputs.length(i))
		// The product of two 32-bit numbers fits into 64 bits; three times the product may not.
		if length%3 != 0 || length/3 != uint64(c.pixels.heights[i])*uint64(c.pixels.widths[i]) {
			return refuse(abi.StatusShapeMismatch, "the item's size in bytes is not height × width × 3").at(i)
		}
	}
	c.setLengths(c.model.media.tokens())
	return nil
}

func (m raw) encode(c *encodeCall, space *workspace, begin, end int, embeddings, states []float32) *fault {
	return c.encodePatches(m, space, begin, end, embeddings, states)
}

func (raw) patches(c *encodeCall, space *workspace, item int) ([]float32, *fault) {
	m := c.model.media
	picture := raster.Image{
		Width: int(c.pixels.widths[item]), Height: int(c.pixels.heights[item]), RGB: c.inputs.item(item),
	}
	space.vectors = grown(space.vectors, m.patchesSize())
	space.cut(m, &picture, space.vectors)
	return space.vectors, nil
}
