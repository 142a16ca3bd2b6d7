package sound

import (
	"encoding/binary"
	"math"

	"github.com/pion/opus"
)

const (
	opusRate = 48000
	// opusLongest is the number of samples in the longest packet, 120 ms.
	opusLongest = opusRate * 120 / 1000
)

// opusCodec decodes an Opus stream. A packet holds one packet for each of its inner streams, each
// with a decoder of its own.
type opusCodec struct {
	m       *mixer
	clock   oggClock
	lead    int // samples before the recording
	tagged  bool
	streams []opusStream
	buffer  []float32
	mono    []float32
}

// opusStream is an inner stream of one or two channels. Each channel has a weight in the mean, 0 if
// it is silent.
type opusStream struct {
	decoder  opus.Decoder
	channels int
	weights  [2]float32
}

// newOpus reads the header of a stream. Families 0 and 1 are known: up to eight channels for
// loudspeakers.
func newOpus(head []byte, m *mixer) (*opusCodec, error) {
	if len(head) < 19 {
		return nil, malformed("the header of the Opus stream has %d bytes; at least 19 are needed", len(head))
	}
	if head[8]>>4 != 0 {
		return nil, unsupported("the Opus stream is of version %d; 0 is decoded", head[8]>>4)
	}
	le := binary.LittleEndian
	channels, family := int(head[9]), head[18]
	lead := int(le.Uint16(head[10:]))
	streams, coupled, mapping := 1, channels-1, []byte{0, 1}
	switch {
	case family > 1:
		return nil, unsupported("the Opus stream maps its channels by family %d; 0 and 1 are decoded", family)
	case channels == 0 || channels > 2 && family == 0 || channels > 8:
		return nil, malformed("the Opus stream has %d channels, which its mapping does not allow", channels)
	case family == 1:
		if len(head) < 21+channels {
			return nil, malformed("the header of the Opus stream ends in its mapping")
		}
		streams, coupled, mapping = int(head[19]), int(head[20]), head[21:]
	}
	if streams == 0 || coupled > streams || streams+coupled > 255 {
		return nil, malformed("the Opus stream has %d inner streams, %d of them of two channels", streams, coupled)
	}
	if streams > channels {
		return nil, unsupported("the Opus stream has %d inner streams for %d channels", streams, channels)
	}
	if err := m.begin(opusRate, 0); err != nil {
		return nil, err
	}
	c := &opusCodec{m: m, lead: lead, streams: make([]opusStream, streams), buffer: make([]float32, 2*opusLongest)}
	c.clock.begun, c.clock.skipped = len(m.samples), lead
	for i := range c.streams {
		stream := &c.streams[i]
		stream.channels = 1
		if i < coupled {
			stream.channels = 2
		}
		var err error
		if stream.decoder, err = opus.NewDecoderWithOutput(opusRate, stream.channels); err != nil {
			return nil, err
		}
	}
	gain := math.Pow(10, float64(int16(le.Uint16(head[16:])))/(20*256))
	for _, index := range mapping[:channels] {
		index := int(index)
		if index == 255 {
			continue // a channel of silence
		}
		if index >= streams+coupled {
			return nil, malformed("the Opus stream maps a channel to number %d, which does not exist", index)
		}
		if index < 2*coupled {
			c.streams[index/2].weights[index%2] += float32(gain / float64(channels))
		} else {
			c.streams[index-coupled].weights[0] += float32(gain / float64(channels))
		}
	}
	return c, nil
}

func (c *opusCodec) packet(data []byte) error {
	if !c.tagged {
		if len(data) < 8 || string(data[:8]) != "OpusTags" {
			return malformed("the second packet of the Opus stream is not its tags")
		}
		c.tagged = true
		return nil
	}
	for i := range c.streams {
		packet := data
		if i < len(c.streams)-1 {
			var ok bool
			if packet, data, ok = splitOpus(data); !ok {
				return malformed("a packet of the Opus stream does not hold its %d inner packets", len(c.streams))
			}
		}
		stream := &c.streams[i]
		count, err := stream.decoder.DecodeToFloat32(packet, c.buffer)
		if err != nil {
			return malformed("a packet of the Opus stream: %v", err)
		}
		if i == 0 {
			c.mono = append(c.mono[:0], make([]float32, count)...)
		}
		if count != len(c.mono) {
			return malformed("the inner packets of an Opus packet differ in length")
		}
		stream.mix(c.mono, c.buffer)
	}
	return c.m.interleaved(c.clock.cut(c.mono), 1)
}

// mix adds the weighted channels of samples to mono.
func (s *opusStream) mix(mono, samples []float32) {
	if s.channels == 1 {
		for i := range mono {
			mono[i] += s.weights[0] * samples[i]
		}
		return
	}
	for i := range mono {
		mono[i] += s.weights[0]*samples[2*i] + s.weights[1]*samples[2*i+1]
	}
}

func (c *opusCodec) page(granule int64, last bool) error {
	if !c.tagged {
		return early(Ogg, "before the tags of its Opus stream")
	}
	if c.clock.decoded == 0 && !last {
		return nil // the page ends the tags
	}
	if err := c.clock.page(granule, last, c.lead, c.m); err != nil {
		return err
	}
	if c.clock.offset < 0 {
		return malformed("the first page of the Opus stream holds more samples than its position says")
	}
	return nil
}

// splitOpus returns the first of several packets that are packed into one. It returns the packet as
// it would be alone, without the length that marks its end.
func splitOpus(data []byte) (packet, rest []byte, ok bool) {
	r := opusLengths{data: data, at: 1}
	if len(data) < 2 {
		return nil, nil, false
	}
	// frames are those of the packet, given the bytes of those whose length it gives.
	frames, given := 1, 0
	end := 0 // the padding
	variable := false
	switch data[0] & 3 {
	case 1:
		frames = 2
	case 2:
		frames, variable = 2, true
	case 3:
		frames, variable = int(data[1]&0x3F), data[1]&0x80 != 0
		padded := data[1]&0x40 != 0
		for r.at++; padded; {
			length := r.byte()
			if padded = length == 255; padded {
				length--
			}
			end += length
		}
	}
	if variable {
		for range frames - 1 {
			given += r.length()
		}
	}
	own := r.at
	last := r.length()
	if !variable {
		last *= frames
	}
	end += r.at + given + last
	if r.short || frames == 0 || end > len(data) {
		return nil, nil, false
	}
	packet = append(packet, data[:own]...)
	return append(packet, data[r.at:end]...), data[end:], true
}

// opusLengths reads the lengths in front of a packet's frames.
type opusLengths struct {
	data  []byte
	at    int
	short bool
}

func (r *opusLengths) byte() int {
	if r.at >= len(r.data) {
		r.short = true
		return 0
	}
	r.at++
	return int(r.data[r.at-1])
}

// length reads one length, in one or two bytes.
func (r *opusLengths) length() int {
	length := r.byte()
	if length >= 252 {
		length += 4 * r.byte()
	}
	return length
}
