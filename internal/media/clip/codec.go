package clip

// codec is a video codec.
type codec struct {
	// name is the codec's name in errors.
	name string
	// decoders are FFmpeg's names of decoders for it, the preferred one first. If there are none,
	// FFmpeg is not used.
	decoders []string
	// read makes a stream from the codec's header. It is nil if samples can be sent to a decoder as
	// they are.
	read func(t *track) (stream, error)
	// peek corrects a sample's fields by its bytes. It is nil if no correction is needed.
	peek func(s *sample)
	// still decodes a key frame as a still picture. It is nil if Go has no decoder for it.
	still func(data []byte, pixels int) (*picture, error)
}

// The codecs that are decoded, in Go or by FFmpeg. A file cannot select any other decoder.
var (
	h264  = &codec{name: "H.264", decoders: []string{"h264"}, read: readAVC}
	hevc  = &codec{name: "H.265", decoders: []string{"hevc"}, read: readHEVC}
	vp8   = &codec{name: "VP8", decoders: []string{"vp8"}, peek: peekVP8, still: stillVP8}
	vp9   = &codec{name: "VP9", decoders: []string{"vp9", "libvpx-vp9"}, peek: peekVP9}
	av1   = &codec{name: "AV1", decoders: []string{"libdav1d", "libaom-av1"}, read: readAV1}
	mpeg4 = &codec{name: "MPEG-4", decoders: []string{"mpeg4"}, read: readPlain}
	mjpeg = &codec{name: "Motion JPEG", peek: peekJPEG, still: stillJPEG}
)

// stream turns the samples of a track into packets for a decoder.
type stream struct {
	// head is the data that a decoder needs before the first sample.
	head []byte
	// prefix is the size in bytes of the length before each unit of a sample, zero if a sample has
	// no such units.
	prefix int
}

// startCode comes before each unit in a packet.
const startCode = "\x00\x00\x00\x01"

// newStream returns the stream of a track.
func newStream(t *track) (stream, error) {
	if t.codec.read == nil {
		return stream{}, nil
	}
	return t.codec.read(t)
}

// packet returns a sample for a decoder. first reports that the decoder has had no packet yet.
func (s *stream) packet(data []byte, first bool) ([]byte, error) {
	if s.prefix == 0 && (!first || len(s.head) == 0) {
		return data, nil
	}
	packet := make([]byte, 0, len(s.head)+len(data)+64)
	if first {
		packet = append(packet, s.head...)
	}
	if s.prefix == 0 {
		return append(packet, data...), nil
	}
	for len(data) > 0 {
		f := fields{rest: data}
		length := 0
		for range s.prefix {
			length = length<<8 | int(f.u8())
		}
		unit := f.take(length)
		if f.short {
			return nil, malformed("a unit of %d bytes in a frame of %d", length, len(data))
		}
		packet = append(append(packet, startCode...), unit...)
		data = f.rest
	}
	return packet, nil
}

// readAVC reads the header of H.264: the size of lengths, and the parameter sets.
func readAVC(t *track) (stream, error) {
	f := fields{rest: t.config}
	f.take(4)
	s := stream{prefix: 1 + int(f.u8()&3)}
	s.units(&f, int(f.u8()&31))
	s.units(&f, int(f.u8()))
	return s, s.check(t, &f)
}

// readHEVC reads the header of H.265, which has arrays of parameter sets.
func readHEVC(t *track) (stream, error) {
	f := fields{rest: t.config}
	f.take(21)
	s := stream{prefix: 1 + int(f.u8()&3)}
	for range f.u8() {
		f.u8()
		s.units(&f, int(f.u16()))
	}
	return s, s.check(t, &f)
}

// units adds units to the head.
func (s *stream) units(f *fields, count int) {
	for range count {
		unit := f.take(int(f.u16()))
		if f.short {
			return
		}
		s.head = append(append(s.head, startCode...), unit...)
	}
}

// check returns an error if a header ended early.
func (s *stream) check(t *track, f *fields) error {
	if f.short {
		return malformed("the %s does not decode: the header of its %s is cut off", t.format, t.codec.name)
	}
	return nil
}

// readAV1 reads the header of AV1: units like those in samples, after four bytes.
func readAV1(t *track) (stream, error) {
	if len(t.config) <= 4 {
		return stream{}, nil
	}
	return stream{head: t.config[4:]}, nil
}

// readPlain reads a header that is the beginning of the stream.
func readPlain(t *track) (stream, error) { return stream{head: t.config}, nil }

// peekVP8 reads whether a frame is a key, and whether it is shown.
func peekVP8(s *sample) {
	s.key = s.data[0]&1 == 0
	s.hidden = s.hidden || s.data[0]>>4&1 == 0
}

// peekVP9 reads whether any of the frames in a sample is shown. If there are several, one is.
func peekVP9(s *sample) {
	last := s.data[len(s.data)-1]
	if last&0xE0 == 0xC0 {
		index := 2 + (1+int(last>>3&3))*(1+int(last&7))
		if index <= len(s.data) && s.data[len(s.data)-index] == last {
			return
		}
	}
	bits, at := s.data[0], 4 // two of the marker, two of the profile
	if bits>>4&3 == 3 {
		at++
	}
	bit := func(i int) bool { return bits>>(7-i)&1 == 1 }
	if existing := bit(at); !existing {
		s.hidden = s.hidden || !bit(at+2)
	}
}

// peekJPEG marks every frame as a key.
func peekJPEG(s *sample) { s.key = true }
