package clip

import "errors"

// errAbsent is why there is no FFmpeg where a test says that there is none.
var errAbsent = errors.New("none is here")

func openAbsent(*track, Limits) (session, error) { return nil, errAbsent }

// FramesWithoutFFmpeg returns [Frames] as it is where no FFmpeg is installed.
func FramesWithoutFFmpeg(data []byte, count int, limits *Limits) ([]picture, error) {
	return frames(data, count, limits.filled(), openAbsent)
}

// FFmpeg returns why there is none, nil where there is.
func FFmpeg() error {
	decoder, err := openNative(&track{codec: h264}, (*Limits)(nil).filled())
	if err == nil {
		decoder.close()
	}
	return err
}

// Track is what a demuxer finds, for tests to see.
type Track struct {
	Codec   string
	Samples []Sample
	// Length is that of the timeline, in units of the track, and Shown how many samples are on it.
	Length        int64
	Shown         int
	Turns         int
	Matrix, Level int
}

// Sample is a sample of a [Track].
type Sample struct {
	Data            []byte
	Start, Duration int64
	Key, Hidden     bool
}

// Demux reads a clip, but decodes nothing.
func Demux(data []byte, limits *Limits) (*Track, error) {
	t, err := demux(data, limits.filled())
	if err != nil {
		return nil, err
	}
	line, err := newTimeline(t)
	if err != nil {
		return nil, err
	}
	seen := &Track{t.codec.name, nil, line.length, len(line.order), t.turns, t.colour.matrix, t.colour.levels}
	for _, s := range t.samples {
		seen.Samples = append(seen.Samples, Sample{s.data, s.start, s.duration, s.key, s.hidden})
	}
	return seen, nil
}

// Pick returns which of some frames, which begin at starts and of which the last ends at end, count
// of them are.
func Pick(starts []int64, end int64, count int) []int {
	t := newTrack(WebM)
	for i, start := range starts {
		s := sample{start: start, duration: unknown}
		if i == len(starts)-1 {
			s.duration = end - start
		}
		t.samples = append(t.samples, s)
	}
	line, err := newTimeline(t)
	if err != nil {
		panic(err)
	}
	return line.pick(count)
}

// Plan returns the first and the last sample of each run that decodes some of a track's.
func Plan(keys []bool, starts []int64, needed []int) [][2]int {
	t := newTrack(MP4)
	for i := range keys {
		t.samples = append(t.samples, sample{start: starts[i], key: keys[i]})
	}
	var runs [][2]int
	for _, run := range plan(t, needed) {
		runs = append(runs, [2]int{run.first, run.last})
	}
	return runs
}

// Peek returns what a codec's sample says of itself.
func Peek(name string, data []byte) (key, hidden bool) {
	s := sample{data: data}
	map[string]*codec{"VP8": vp8, "VP9": vp9}[name].peek(&s)
	return s.key, s.hidden
}

// Packet returns a sample as a decoder gets it, after the header of its codec where it is the
// first.
func Packet(name string, config, data []byte, first bool) ([]byte, error) {
	t := newTrack(MP4)
	t.codec = map[string]*codec{"H.264": h264, "H.265": hevc, "AV1": av1, "MPEG-4": mpeg4, "VP9": vp9}[name]
	t.config = config
	s, err := newStream(t)
	if err != nil {
		return nil, err
	}
	return s.packet(data, first)
}

// Ends returns where the elements of a WebM end that are read as if they stood in one row.
func Ends(data []byte) []int {
	var ends []int
	for at := 0; at < len(data); {
		e, _ := nextElement(data[at:])
		if at += e.head; e.id != idSegment && e.id != idCluster {
			at += len(e.body)
		}
		ends = append(ends, at)
	}
	return ends
}
