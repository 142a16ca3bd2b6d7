package sound

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/jfreymuth/vorbis"
)

// vorbisCodec decodes a Vorbis stream. Its headers are checked before the decoder sees them:
// invalid ones would make it loop forever or exhaust memory. The decoder never sees the comments.
type vorbisCodec struct {
	m        *mixer
	clock    oggClock
	setups   vorbisSetups
	head     []byte
	decoder  *vorbis.Decoder
	channels int
	headers  int // how many are read
	buffer   []float32
	lead     int
}

// vorbisSetups are the decoders of a file, keyed by the headers that they have read. Links of one
// recording share them, since making a decoder takes longer than using it.
type vorbisSetups map[string]*vorbis.Decoder

// mostSetups is the most different setups of a file.
const mostSetups = 64

// newVorbis reads the first header of a stream. It accepts up to eight channels, the number that
// Vorbis assigns positions to.
func newVorbis(head []byte, setups vorbisSetups, m *mixer) (*vorbisCodec, error) {
	if len(head) < 30 {
		return nil, malformed("the first header of the Vorbis stream has %d bytes; 30 are needed", len(head))
	}
	le := binary.LittleEndian
	channels, rate := int(head[11]), int(le.Uint32(head[12:]))
	short, long := head[28]&15, head[28]>>4
	switch {
	case le.Uint32(head[7:]) != 0:
		return nil, unsupported("the Vorbis stream is of version %d; 0 is decoded", le.Uint32(head[7:]))
	case channels == 0 || short < 6 || short > long || long > 13 || head[29]&1 == 0:
		return nil, malformed("the first header of the Vorbis stream is invalid")
	case channels > 8:
		return nil, unsupported("the Vorbis stream has %d channels; at most 8 are decoded", channels)
	}
	if err := m.begin(rate, 0); err != nil {
		return nil, err
	}
	c := &vorbisCodec{m: m, setups: setups, head: head, channels: channels, headers: 1}
	c.clock.begun = len(m.samples)
	return c, nil
}

func (c *vorbisCodec) packet(data []byte) error {
	switch c.headers {
	case 1:
		if !bytes.HasPrefix(data, []byte("\x03vorbis")) {
			return malformed("the second packet of the Vorbis stream is not its comments")
		}
		c.headers++
		return nil
	case 2:
		if !bytes.HasPrefix(data, []byte("\x05vorbis")) {
			return malformed("the third packet of the Vorbis stream is not its setup")
		}
		c.headers++
		if err := c.setUp(data); err != nil {
			return err
		}
		c.buffer = make([]float32, c.decoder.BufferSize())
		return nil
	}
	if len(data) == 0 {
		return nil
	}
	samples, err := c.decoder.DecodeInto(data, c.buffer)
	if err != nil {
		return malformed("a packet of the Vorbis stream: %v", err)
	}
	c.clock.decoded += int64(len(samples) / c.channels)
	return c.m.interleaved(samples, c.channels)
}

// setUp returns the decoder for the stream's headers, and makes it if needed.
func (c *vorbisCodec) setUp(data []byte) error {
	key := string(c.head) + string(data)
	if c.decoder = c.setups[key]; c.decoder != nil {
		c.decoder.Clear()
		return nil
	}
	if len(c.setups) == mostSetups {
		return unsupported("the Ogg file changes the setup of its Vorbis streams more than %d times; split it", mostSetups)
	}
	setup, err := checkVorbisSetup(data[7:], c.channels)
	if err != nil {
		return err
	}
	c.decoder = &vorbis.Decoder{}
	for _, header := range [][]byte{c.head, append([]byte("\x05vorbis"), setup...)} {
		if err := c.decoder.ReadHeader(header); err != nil {
			return malformed("the headers of the Vorbis stream: %v", err)
		}
	}
	c.setups[key] = c.decoder
	return nil
}

// page drops, on the first page, the samples before position 0.
func (c *vorbisCodec) page(granule int64, last bool) error {
	if c.headers < 3 {
		if last {
			return early(Ogg, "inside the headers of its Vorbis stream")
		}
		return nil
	}
	if c.clock.decoded == 0 && !last {
		// The page ends the headers, or holds the first packet alone, which only overlaps with the
		// second.
		return nil
	}
	first := !c.clock.known
	if err := c.clock.page(granule, last, c.lead, c.m); err != nil {
		return err
	}
	if drop := -c.clock.offset; first && drop > 0 {
		kept := c.m.samples[:c.clock.begun]
		c.m.samples = append(kept, c.m.samples[min(c.clock.begun+int(min(drop, c.clock.decoded)), len(c.m.samples)):]...)
		c.lead = int(drop)
	}
	return nil
}

// lowBits reads data from the lowest bit of each byte up. After the end it reads zeroes.
type lowBits struct {
	data     []byte
	position int // in bits
}

func (r *lowBits) over() bool { return r.position > 8*len(r.data) }

// read consumes count bits, at most 32.
func (r *lowBits) read(count int) int {
	var value uint64
	at := r.position >> 3
	for i := range 5 {
		if at+i < len(r.data) {
			value |= uint64(r.data[at+i]) << (8 * i)
		}
	}
	value >>= r.position & 7
	r.position += count
	return int(value & (1<<count - 1))
}

// bitLength returns the number of bits of a number, Vorbis's ilog.
func bitLength(value int) int { return bits.Len(uint(value)) }
