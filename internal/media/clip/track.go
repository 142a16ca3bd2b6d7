package clip

import "math"

// track is the result of a demuxer: how the samples of a video track are coded, and when they are
// shown.
type track struct {
	format Format
	codec  *codec
	// config is the codec's header in the container, nil if there is none.
	config []byte
	// samples are in decoding order.
	samples []sample
	// shownFrom and shownTo are the part of the track's time that an edit list shows, in the units
	// of samples. slack is the rounding error of shownTo, since an edit list has units of its own.
	shownFrom, shownTo, slack int64
	// turns is the number of quarter turns to the right for display.
	turns int
	// width and height are the container's values, zero if it has none.
	width, height int
	colour        colour
}

// newTrack returns a track that is shown in full.
func newTrack(format Format) *track {
	return &track{format: format, shownFrom: math.MinInt64, shownTo: math.MaxInt64, colour: colour{matrix: unspecified}}
}

// sample is a piece of the file that decodes to one frame.
type sample struct {
	// data is a part of the file.
	data []byte
	// start is when the frame is first shown, duration for how long, in units of the track.
	// duration is [unknown] if the file does not say.
	start, duration int64
	// key reports that this sample, and all that are shown after it, decode without the samples
	// before it.
	key bool
	// hidden reports that the sample is decoded for others but not shown.
	hidden bool
}

const unknown = -1

// farthest is the latest valid time, in units of a track. Sums of such times do not overflow.
const farthest = 1 << 60

// unspecified is H.273's code for an unspecified matrix.
const unspecified = 2

// colour is the container's declaration of a track's colours: the codes of H.273, which are
// FFmpeg's too.
type colour struct {
	// matrix is a code of MatrixCoefficients.
	matrix int
	// levels is zero if unspecified, 1 for limited levels, 2 for full ones.
	levels int
}

// mark corrects the container's fields of samples by the samples' bytes.
func (t *track) mark() {
	for i := range t.samples {
		s := &t.samples[i]
		if len(s.data) == 0 { // recorders write these for frames that they dropped
			s.key, s.hidden = false, true
			continue
		}
		if t.codec.peek != nil {
			t.codec.peek(s)
		}
	}
}
