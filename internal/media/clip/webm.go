package clip

import "math/bits"

// segment is the state of reading a WebM.
type segment struct {
	limits Limits
	// track is nil until the first video track is found. Its units are nanoseconds.
	track *track
	// scale is the number of nanoseconds in a unit of the file's time.
	scale uint64
	// number is the video track's number in blocks; each is how long a frame is shown, if the track
	// says so.
	number uint64
	each   int64
	// cluster is the time that the blocks of a cluster are relative to.
	cluster uint64
}

// readWebM reads the elements of the file, of its segment and of the clusters as one sequence. An
// element of a cluster cannot be elsewhere, so the end of an unsized cluster need not be known.
func readWebM(data []byte, limits Limits) (*track, error) {
	s := &segment{limits: limits, scale: 1e6}
	end, clusterEnd := len(data), len(data)
	inSegment := false
	for at := 0; at < end; {
		if at >= clusterEnd {
			clusterEnd = end
		}
		e, state := nextElement(data[at:end])
		switch {
		case (state == headCut || e.cut()) && end == len(data):
			return nil, endsEarly(WebM)
		case state != headWhole:
			return nil, malformed("the WebM does not decode: an element begins with % x", data[at:min(at+12, end)])
		}
		transparent := e.id == idSegment || e.id == idCluster
		next := at + e.length()
		switch {
		case next > clusterEnd && e.id != idCluster, e.cut(), e.unsized && !transparent:
			return nil, overlong(e.id)
		case e.id == idSegment && inSegment: // another file after this one
			return s.finish()
		case e.id == idSegment:
			inSegment = true
			if !e.unsized {
				end = next
			}
			clusterEnd = end
		case e.id == idCluster:
			if s.track == nil {
				return nil, noVideo()
			}
			clusterEnd = end
			if !e.unsized {
				clusterEnd = next
			}
		case inSegment:
			if err := s.read(&e); err != nil {
				return nil, err
			}
		}
		if transparent {
			next = at + e.head
		}
		at = next
	}
	return s.finish()
}

func noVideo() error { return malformed("the WebM has no video track") }

func (s *segment) finish() (*track, error) {
	if s.track == nil {
		return nil, noVideo()
	}
	s.track.mark()
	return s.track, nil
}

// read reads an element of a segment or of a cluster.
func (s *segment) read(e *element) error {
	switch e.id {
	case idInfo:
		for part, err := range elements(e.body) {
			if err != nil {
				return err
			}
			if part.id == idTimestampScale {
				s.scale = part.number()
			}
		}
	case idTracks:
		return s.readTracks(e.body)
	case idTimestamp:
		s.cluster = e.number()
	case idSimpleBlock:
		return s.block(e.body, nil)
	case idBlockGroup:
		return s.group(e.body)
	}
	return nil
}

// group reads a block group: a block with its properties.
func (s *segment) group(body []byte) error {
	about := &blockAbout{key: true}
	var block []byte
	for part, err := range elements(body) {
		if err != nil {
			return err
		}
		switch part.id {
		case idBlock:
			block = part.body
		case idBlockDuration:
			about.duration, about.timed = part.number(), true
		case idReferenceBlock:
			about.key = false
		}
	}
	if block == nil {
		return nil
	}
	return s.block(block, about)
}

// blockAbout is the properties of a block in its group.
type blockAbout struct {
	duration uint64
	timed    bool
	key      bool
}

// The flags of a block.
const (
	blockKey       = 0x80
	blockInvisible = 0x08
	blockLacing    = 0x06
)

// block reads a block, and adds a sample if it is of the video track.
func (s *segment) block(body []byte, about *blockAbout) error {
	number, length, state := vint(body, 8)
	if state != headWhole || len(body) < length+3 {
		return malformed("the WebM does not decode: a block of %d bytes", len(body))
	}
	if s.track == nil || number&^(1<<(7*length)) != s.number {
		return nil
	}
	f := fields{rest: body[length:]}
	after, flags := int16(f.u16()), f.u8()
	if flags&blockLacing != 0 {
		return unsupported("the WebM has several frames in a block: mux it anew")
	}
	if len(s.track.samples) >= s.limits.Samples {
		return tooMany(WebM, s.limits.Samples)
	}
	begin, err := s.nanoseconds(s.cluster)
	if err != nil {
		return err
	}
	offset, err := s.nanoseconds(uint64(max(int64(after), -int64(after))))
	if err != nil {
		return err
	}
	if after < 0 {
		offset = -offset
	}
	frame := sample{data: f.rest, start: begin + offset, duration: s.each, key: flags&blockKey != 0, hidden: flags&blockInvisible != 0}
	if about != nil {
		frame.key = about.key
		if about.timed {
			if frame.duration, err = s.nanoseconds(about.duration); err != nil {
				return err
			}
		}
	}
	s.track.samples = append(s.track.samples, frame)
	return nil
}

// nanoseconds returns a time of the file in nanoseconds.
func (s *segment) nanoseconds(units uint64) (int64, error) {
	high, low := bits.Mul64(units, s.scale)
	if high > 0 || low > farthest {
		return 0, malformed("the WebM does not decode: a time of %d units of %d nanoseconds", units, s.scale)
	}
	return int64(low), nil
}
