package clip

import (
	"fmt"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// The default limits of a clip.
const (
	DefaultPixels  = raster.DefaultPixels
	DefaultSamples = 1 << 18 // over two hours at 30 a second
	DefaultBytes   = 1 << 30
)

// Limits bound the cost of a file. A file that exceeds them is malformed.
type Limits struct {
	// Pixels is the largest width times height of a frame. Zero is [DefaultPixels].
	Pixels int
	// Samples is the most frames that the track may have, whether they are needed or not. Zero is
	// [DefaultSamples].
	Samples int
	// Bytes is the most bytes that the frames of one call may take together, three for each pixel.
	// Zero is [DefaultBytes].
	Bytes int
}

// filled returns the limits with defaults filled in.
func (l *Limits) filled() Limits {
	filled := Limits{DefaultPixels, DefaultSamples, DefaultBytes}
	if l == nil {
		return filled
	}
	if l.Pixels > 0 {
		filled.Pixels = l.Pixels
	}
	if l.Samples > 0 {
		filled.Samples = l.Samples
	}
	if l.Bytes > 0 {
		filled.Bytes = l.Bytes
	}
	return filled
}

// Frames returns count frames of the first video track of an MP4 or WebM. With T the time from the
// first frame to the end of the last, they are those that are shown at (j + 1/2) · T/count, turned
// as the track says. They have the sizes that the file gives them. If a clip has fewer frames, some
// are returned twice and share their memory. A nil limits is the defaults. The frames keep none of
// data.
//
// The last frame ends when the file says or, if it does not, after as long as the frame before it
// was shown. An edit list selects the part that counts; one that shows several parts, or at another
// speed, is unsupported.
//
// Errors say what is wrong with the file. They wrap [errors.ErrMalformed] for a file of neither
// format, one without frames, that ends early, does not decode or exceeds limits;
// [errors.ErrUnsupported] for a valid file that needs a decoder that is not available, with its
// codec and the remedy; [errors.ErrInvalidArgument] for a count below one, or above the limit of
// samples.
func Frames(data []byte, count int, limits *Limits) ([]raster.Image, error) {
	return frames(data, count, limits.filled(), openNative)
}

// frames is Frames with a function that opens the system's decoders.
func frames(data []byte, count int, limits Limits, open opener) ([]raster.Image, error) {
	if count <= 0 || count > limits.Samples {
		return nil, fmt.Errorf("take %d frames: ask for one or more, up to %d: %w", count, limits.Samples, errors.ErrInvalidArgument)
	}
	track, err := demux(data, limits)
	if err != nil {
		return nil, err
	}
	line, err := newTimeline(track)
	if err != nil {
		return nil, err
	}
	needed := line.pick(count)
	pictures, err := decode(track, needed, limits, open)
	if err != nil {
		return nil, err
	}
	taken := make([]raster.Image, count)
	for j, sample := range needed {
		taken[j] = *pictures[sample]
	}
	return taken, nil
}

// demux finds the first video track.
func demux(data []byte, limits Limits) (*track, error) {
	format, known := Sniff(data)
	switch {
	case !known:
		return nil, malformed("not a video file: its first bytes are not those of MP4 or WebM")
	case format == MP4:
		return readMP4(data, limits)
	}
	return readWebM(data, limits)
}

func endsEarly(format Format) error {
	return malformed("the %s ends early: the file is cut off", format)
}

func tooMany(format Format, limit int) error {
	return malformed("the %s has over %d frames, which is the limit: cut it into shorter ones", format, limit)
}

func malformed(format string, arguments ...any) error {
	return fmt.Errorf(format+": %w", append(arguments, errors.ErrMalformed)...)
}

func unsupported(format string, arguments ...any) error {
	return fmt.Errorf(format+": %w", append(arguments, errors.ErrUnsupported)...)
}
