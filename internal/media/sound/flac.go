package sound

import "encoding/binary"

// flacStream is a FLAC file being decoded: the fields of its first metadata block, and the state
// between frames.
type flacStream struct {
	data     []byte
	at       int // of the next frame
	rate     int
	channels int
	bits     int
	total    int64 // samples, 0 where unknown
	next     uint64
	started  bool
	planes   [8][]int64 // of the frame, one of each channel
}

// decodeFLAC reads metadata blocks, of which only the first one is used, and then frames. Each
// frame is checked by its two checksums and by its number, so that a missing frame is found, and
// all of them by the total that the first block gives. If that is 0 (unknown), the frames must
// reach the end of the file, except for an ID3v1 tag. A file of unknown length that was cut between
// two frames cannot be distinguished from a whole one.
func decodeFLAC(data []byte, m *mixer) error {
	stream, err := parseFLAC(data)
	if err != nil {
		return err
	}
	if stream.total > int64(m.most) {
		return m.tooLong()
	}
	if err := m.begin(stream.rate, int(stream.total)); err != nil {
		return err
	}
	for stream.more(len(m.samples)) {
		count, err := stream.frame()
		if err != nil {
			return err
		}
		if stream.total > 0 && int64(len(m.samples)+count) > stream.total {
			return malformed("the FLAC file holds more than the %d samples that its header declares; it is damaged", stream.total)
		}
		if err := stream.mix(count, m); err != nil {
			return err
		}
	}
	rest := data[stream.at:]
	switch {
	case int64(len(m.samples)) < stream.total:
		return early(FLAC, "before its last samples")
	case stream.total > 0 && len(rest) >= 2 && rest[0] == 0xFF && rest[1]&0xFE == 0xF8:
		return malformed("the FLAC file has data after the %d samples that its header declares; it is damaged", stream.total)
	}
	return nil
}

// more reports whether another frame is due after done samples.
func (s *flacStream) more(done int) bool {
	if s.total > 0 {
		return int64(done) < s.total && s.at < len(s.data)
	}
	rest := s.data[s.at:]
	return len(rest) > 0 && !(len(rest) == 128 && string(rest[:3]) == "TAG")
}

func parseFLAC(data []byte) (*flacStream, error) {
	const blockHeader, streamInfo = 4, 34
	stream := &flacStream{data: data, at: 4}
	for first, last := true, false; !last; first = false {
		if len(data)-stream.at < blockHeader {
			return nil, early(FLAC, "inside its metadata")
		}
		header := binary.BigEndian.Uint32(data[stream.at:])
		stream.at += blockHeader
		kind, length := header>>24&0x7F, int(header&0xFFFFFF)
		last = header>>31 != 0
		if length > len(data)-stream.at {
			return nil, early(FLAC, "inside its metadata")
		}
		if first {
			if kind != 0 || length < streamInfo {
				return nil, malformed("the first block of the FLAC file does not describe the stream")
			}
			fields := bitReader{data: data[stream.at+10:]}
			stream.rate = int(fields.read(20))
			stream.channels = int(fields.read(3)) + 1
			stream.bits = int(fields.read(5)) + 1
			stream.total = int64(fields.read(36))
		}
		stream.at += length
	}
	if stream.bits < 4 {
		return nil, malformed("the FLAC file has samples of %d bits; 4 to 32 are valid", stream.bits)
	}
	return stream, nil
}

// mix computes the means of the frame's channels.
func (s *flacStream) mix(count int, m *mixer) error {
	if err := m.allow(count); err != nil {
		return err
	}
	scale := 1 / (float64(s.channels) * float64(int64(1)<<(s.bits-1)))
	planes := s.planes[:s.channels]
	switch s.channels {
	case 1:
		for _, sample := range planes[0] {
			m.samples = append(m.samples, float32(float64(sample)*scale))
		}
	case 2:
		right := planes[1]
		for i, sample := range planes[0] {
			m.samples = append(m.samples, float32(float64(sample+right[i])*scale))
		}
	default:
		for i := range count {
			var sum int64
			for _, plane := range planes {
				sum += plane[i]
			}
			m.samples = append(m.samples, float32(float64(sum)*scale))
		}
	}
	return nil
}
