package engine

import (
	"github.com/unum-cloud/uform-go/internal/media/clip"
	"github.com/unum-cloud/uform-go/internal/media/raster"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// Limits bound what a media file may take to decode. They are checked before decoding. A server
// that accepts files of strangers should set lower limits than the defaults. A file above a limit
// fails the call, whose outcome names the item. The zero value means the defaults.
type Limits struct {
	// ImagePixels is the most pixels of an image, width times height; 0 means 2^26. A larger image
	// is malformed.
	ImagePixels int
	// FramePixels is the most pixels of a video's frame; 0 means 2^26. A larger frame is malformed.
	FramePixels int
	// Frames is the most frames of a video, used or not; 0 means 2^18. A longer video is malformed.
	Frames int
	// FrameBytes is the most memory of all used frames of a video together, three bytes for each
	// pixel; 0 means 1 GiB. A video that needs more is malformed.
	FrameBytes int
	// Samples is the longest recording, in samples of one channel, four bytes each; 0 means 2^27,
	// which is 46 minutes at 48 kHz. A longer recording is unsupported.
	Samples int
}

func (l *Limits) image() *raster.Limits { return &raster.Limits{Pixels: l.ImagePixels} }

func (l *Limits) video() *clip.Limits {
	return &clip.Limits{Pixels: l.FramePixels, Samples: l.Frames, Bytes: l.FrameBytes}
}

func (l *Limits) audio() *sound.Limits { return &sound.Limits{Samples: l.Samples} }
