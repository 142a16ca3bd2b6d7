package sound

import (
	"bytes"
	"encoding/binary"
)

// Flags of a page.
const (
	pageContinued = 1
	pageFirst     = 2
	pageLast      = 4
)

// oggPage is one page. It holds parts of one stream's packets.
type oggPage struct {
	flags    byte
	granule  int64 // of the end of the last packet that ends here; −1 where none does
	serial   uint32
	sequence uint32
	lacing   []byte // lengths of segments; one under 255 ends a packet
	body     []byte
}

// oggPages reads pages in the order of the file.
type oggPages struct {
	data   []byte
	at     int
	setups vorbisSetups
}

func (p *oggPages) done() bool { return p.at == len(p.data) }

// first reports whether the next page begins a stream.
func (p *oggPages) first() bool {
	rest := p.data[p.at:]
	return len(rest) > 5 && rest[5]&pageFirst != 0
}

// next reads a page and checks its checksum.
func (p *oggPages) next() (*oggPage, error) {
	const header = 27
	rest := p.data[p.at:]
	if magic := []byte("OggS\x00"); !bytes.HasPrefix(rest, magic[:min(len(rest), len(magic))]) {
		return nil, malformed("no page begins at byte %d of the Ogg file; the file is damaged", p.at)
	}
	if len(rest) < header || len(rest) < header+int(rest[26]) {
		return nil, early(Ogg, "inside a page's header")
	}
	body := header + int(rest[26])
	length := body
	for _, segment := range rest[header:body] {
		length += int(segment)
	}
	if len(rest) < length {
		return nil, early(Ogg, "inside a page")
	}
	le := binary.LittleEndian
	sum := checksum(table32(), 0, rest[:22])
	sum = checksum(table32(), sum, []byte{0, 0, 0, 0})
	sum = checksum(table32(), sum, rest[26:length])
	if sum != le.Uint32(rest[22:]) {
		return nil, malformed("the Ogg page at byte %d fails its checksum; the file is damaged", p.at)
	}
	p.at += length
	return &oggPage{
		flags:    rest[5],
		granule:  int64(le.Uint64(rest[6:])),
		serial:   le.Uint32(rest[14:]),
		sequence: le.Uint32(rest[18:]),
		lacing:   rest[header:body],
		body:     rest[body:length],
	}, nil
}

// oggCodec decodes the packets of one stream.
type oggCodec interface {
	// packet reads the next packet after the first, and keeps no reference to it.
	packet(data []byte) error
	// page is called after the packets that end on a page. granule is the page's position; last
	// reports that the page is the stream's last one.
	page(granule int64, last bool) error
}

// decodeOgg decodes the links of a chained file one after another. In each, the first stream that
// is Opus or Vorbis counts. No page of it may be missing, and its last page must be marked as such.
func decodeOgg(data []byte, m *mixer) error {
	pages := &oggPages{data: data, setups: vorbisSetups{}}
	for first := true; first || !pages.done(); first = false {
		if err := decodeLink(pages, m); err != nil {
			return err
		}
	}
	return nil
}

// decodeLink decodes a group of streams that begin together, up to the next group or the end of the
// file.
func decodeLink(pages *oggPages, m *mixer) error {
	stream := &oggStream{}
	if !pages.first() {
		if _, err := pages.next(); err != nil {
			return err
		}
		return malformed("the Ogg file begins in the middle of a stream")
	}
	for pages.first() {
		page, err := pages.next()
		if err != nil {
			return err
		}
		if stream.codec != nil {
			continue
		}
		switch {
		case bytes.HasPrefix(page.body, []byte("OpusHead")):
			stream.codec, err = newOpus(page.body, m)
		case bytes.HasPrefix(page.body, []byte("\x01vorbis")):
			stream.codec, err = newVorbis(page.body, pages.setups, m)
		default:
			continue
		}
		if err != nil {
			return err
		}
		if err := stream.begin(page); err != nil {
			return err
		}
	}
	if stream.codec == nil {
		return unsupported("the Ogg file holds neither Opus nor Vorbis; convert it to one of them")
	}
	for !pages.done() && !pages.first() {
		page, err := pages.next()
		if err != nil {
			return err
		}
		if page.serial != stream.serial {
			continue
		}
		if err := stream.take(page); err != nil {
			return err
		}
	}
	if !stream.ended {
		return early(Ogg, "before the last page of its sound")
	}
	return nil
}

// oggStream assembles the packets of one stream from pages.
type oggStream struct {
	codec    oggCodec
	serial   uint32
	sequence uint32 // of the page that is due
	partial  []byte // the packet that the last page left unfinished
	pending  bool   // whether it left one
	ended    bool
}

// begin reads the first page, which holds the first packet and nothing else.
func (s *oggStream) begin(page *oggPage) error {
	if len(page.lacing) != len(page.body)/255+1 {
		return malformed("the first page of the Ogg stream holds more than its header")
	}
	s.serial, s.sequence = page.serial, page.sequence+1
	return nil
}

// take passes the packets that end on page to the codec.
func (s *oggStream) take(page *oggPage) error {
	switch {
	case s.ended:
		return malformed("the Ogg stream continues after its last page; the file is damaged")
	case page.sequence != s.sequence, page.flags&pageContinued != 0 != s.pending:
		return malformed("page %d of the Ogg stream is missing; the file is damaged", s.sequence)
	}
	s.sequence++
	body, ends := page.body, false
	for start, at := 0, 0; at < len(page.lacing); at++ {
		if page.lacing[at] == 255 && at < len(page.lacing)-1 {
			continue
		}
		length := 0
		for _, segment := range page.lacing[start : at+1] {
			length += int(segment)
		}
		part := body[:length]
		body, start = body[length:], at+1
		if page.lacing[at] == 255 {
			s.partial, s.pending = append(s.partial, part...), true
			break
		}
		if s.pending {
			s.partial = append(s.partial, part...)
			part = s.partial
		}
		if err := s.codec.packet(part); err != nil {
			return err
		}
		s.partial, s.pending, ends = s.partial[:0], false, true
	}
	s.ended = page.flags&pageLast != 0
	if s.ended && s.pending {
		return early(Ogg, "inside a packet")
	}
	if !ends && !s.ended {
		return nil
	}
	return s.codec.page(page.granule, s.ended)
}

// oggClock relates samples to granule positions, which count samples, and cuts the samples after
// the last position.
type oggClock struct {
	offset  int64 // the granule position of the first decoded sample
	known   bool
	decoded int64 // samples decoded
	begun   int   // how many samples the recording had before
	skipped int   // how many more to drop from the start
}

// cut drops the samples that are to be skipped and returns the rest.
func (c *oggClock) cut(samples []float32) []float32 {
	c.decoded += int64(len(samples))
	drop := min(c.skipped, len(samples))
	c.skipped -= drop
	return samples[drop:]
}

// page reads a page's granule position. On the last page it cuts the end of the recording, of which
// lead samples were dropped at the start. The first position says where the stream begins: after 0
// if it was cut from a longer one, and before 0 in Vorbis alone. On a stream's only page a position
// less than its samples cuts the end.
func (c *oggClock) page(granule int64, last bool, lead int, m *mixer) error {
	if granule < 0 {
		return malformed("a page of the Ogg stream on which a packet ends has no position")
	}
	if !c.known {
		c.known = true
		if c.offset = granule - c.decoded; last && c.offset < 0 {
			c.offset = 0 // it is the end that is cut
		}
	}
	end := granule - c.offset
	if end > c.decoded {
		return malformed("the Ogg stream lacks samples before position %d; the file is damaged", granule)
	}
	if last {
		keep := c.begun + int(max(end-int64(lead), 0))
		m.samples = m.samples[:min(len(m.samples), max(keep, c.begun))]
	}
	return nil
}
