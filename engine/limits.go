package engine

import (
	"github.com/unum-cloud/uform-go/internal/media/clip"
	"github.com/unum-cloud/uform-go/internal/media/raster"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// Limits bound what a file of media may ask for, before it is decoded: a server of strangers' files wants less than the
// defaults. A file that asks for more fails the call and is named. The zero value is the defaults.
type Limits struct {
	// ImagePixels is the most pixels of an image, width times height; 0 means 2^26. More is malformed.
	ImagePixels int
	// FramePixels is the most pixels of a video's frame; 0 means 2^26. More is malformed.
	FramePixels int
	// Frames is the most frames of a video, whether they are looked at or not; 0 means 2^18. More is malformed.
	Frames int
	// FrameBytes is the most memory that the frames of a video that are looked at take together, three bytes for each
	// pixel; 0 means 1 GiB. More is malformed.
	FrameBytes int
	// Samples is the longest recording, in samples of one channel, of four bytes each; 0 means 2^27, which is 46 minutes
	// at 48 kHz. More is unsupported.
	Samples int
}

func (l *Limits) image() *raster.Limits { return &raster.Limits{Pixels: l.ImagePixels} }

func (l *Limits) video() *clip.Limits {
	return &clip.Limits{Pixels: l.FramePixels, Samples: l.Frames, Bytes: l.FrameBytes}
}

func (l *Limits) audio() *sound.Limits { return &sound.Limits{Samples: l.Samples} }
