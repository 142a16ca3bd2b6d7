package clip

import "math"

// track is what a demuxer finds: how the samples of a video track are coded, and when they are
// shown.
type track struct {
	format Format
	codec  *codec
	// config is the header of the codec that the container holds apart, nil where there is none.
	config []byte
	// samples are in the order of decoding.
	samples []sample
	// shownFrom and shownTo are the part of the track's time that an edit list shows, in the units
	// of samples. slack is how far shownTo may be off, since an edit list counts in units of its
	// own.
	shownFrom, shownTo, slack int64
	// turns are how often a frame is turned a quarter to the right to be seen.
	turns int
	// width and height are what the container claims, zero where it does not.
	width, height int
	colour        colour
}

// newTrack returns a track all of which is shown.
func newTrack(format Format) *track {
	return &track{format: format, shownFrom: math.MinInt64, shownTo: math.MaxInt64, colour: colour{matrix: unspecified}}
}

// sample is a piece of the file that decodes to one frame.
type sample struct {
	// data is a part of the file.
	data []byte
	// start is when the frame is first shown, duration for how long, in units of the track.
	// duration is [unknown] where the file does not say.
	start, duration int64
	// key reports that this sample, and all that are shown after it, decode without those before
	// it.
	key bool
	// hidden reports that others need this sample, but no one sees it.
	hidden bool
}

const unknown = -1

// farthest is the latest time, in units of a track, that is believed. It leaves room for sums.
const farthest = 1 << 60

// unspecified is H.273's code for a matrix that no one names.
const unspecified = 2

// colour is how a container says that the colours of a track are meant: by the codes of H.273,
// which are FFmpeg's too.
type colour struct {
	// matrix is a code of MatrixCoefficients.
	matrix int
	// levels is zero where nothing is said, 1 for limited levels, 2 for full ones.
	levels int
}

// mark corrects what the container says of samples by what the samples say themselves.
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
