package sound

import "encoding/binary"

// waveform is the sample format of a WAV file.
type waveform struct {
	coding   sampleCoding
	channels int
	rate     int
	width    int // bytes of a sample
	// padded reports that the header leaves open whether samples of three bytes are in the upper
	// bytes of four.
	padded bool
}

// extensibleTail is what follows the code in the identifier of an extensible fmt chunk.
const extensibleTail = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71"

// parseWaveform reads a fmt chunk. In an extensible one the bits are those of a sample's container;
// how many of them are used changes nothing, since they are the upper ones.
func parseWaveform(body []byte) (*waveform, error) {
	if len(body) < 16 {
		return nil, malformed("the fmt chunk of the WAV file has %d bytes; at least 16 are needed", len(body))
	}
	le := binary.LittleEndian
	code := le.Uint16(body)
	form := &waveform{channels: int(le.Uint16(body[2:])), rate: int(le.Uint32(body[4:]))}
	if code == codeExtensible {
		if len(body) < 40 {
			return nil, malformed("the extensible fmt chunk of the WAV file has %d bytes; 40 are needed", len(body))
		}
		if string(body[26:40]) != extensibleTail {
			return nil, unsupported("the WAV file holds a coding with an unknown identifier; convert it to PCM")
		}
		code = le.Uint16(body[24:])
	}
	if form.channels == 0 {
		return nil, malformed("the WAV file has no channels")
	}
	return form, form.measure(code, int(le.Uint16(body[14:])), int(le.Uint16(body[12:])))
}

// measure determines the width of a sample, which a header states twice: in bits, and in bytes of a
// frame of all channels (its block align). If both are valid and contradict each other, the bits
// are used, as by FFmpeg and sox. The bytes per second are ignored.
func (w *waveform) measure(code uint16, bits, frame int) error {
	w.width = (bits + 7) / 8
	if code == codeALaw || code == codeMuLaw {
		w.width = 1 // by definition
	}
	// Some recorders write 24 bits in the upper bytes of four, and say so by the frame alone.
	// Others write a wrong frame. FFmpeg takes all of these for floats of Cool Edit, sox for three
	// bytes; here the samples decide, see container.
	w.padded = code == codeIntegers && w.width == 3 && frame == 4*w.channels
	if w.coding = codingOf(code, w.width); w.coding != nil {
		return nil
	}
	byFrame := 0
	if frame%w.channels == 0 {
		byFrame = frame / w.channels
	}
	switch known := code == codeIntegers || code == codeFloats; {
	case codingOf(code, byFrame) != nil:
		w.width, w.coding = byFrame, codingOf(code, byFrame)
		return nil
	case known && (bits == 0 || byFrame != w.width):
		return malformed("the WAV file has %d bits a sample and %d bytes a frame of %d channels (its block align), neither of which is a width of coding %#x",
			bits, frame, w.channels, code)
	}
	return unsupported("the WAV file holds coding %#x with samples of %d bits; convert it to PCM", code, bits)
}

// container returns the layout of sound with samples of four bytes, if it has those: their lowest
// bytes are all zero, which happens in packed samples of silence alone. Silence is packed where it
// can be.
func (w *waveform) container(sound []byte) *waveform {
	if !w.padded || len(sound)%(4*w.channels) != 0 {
		return w
	}
	silent := len(sound)%(3*w.channels) == 0
	for ; len(sound) > 0; sound = sound[4:] {
		if sound[0] != 0 {
			return w
		}
		silent = silent && sound[1]|sound[2]|sound[3] == 0
	}
	if silent {
		return w
	}
	return &waveform{coding: integers32, channels: w.channels, rate: w.rate, width: 4}
}

// decode mixes sound, which must be whole samples of all channels.
func (w *waveform) decode(sound []byte, m *mixer) error {
	w = w.container(sound)
	frame := w.width * w.channels
	if len(sound)%frame != 0 {
		return early(WAV, "inside a sample")
	}
	count := len(sound) / frame
	if err := m.begin(w.rate, count); err != nil {
		return err
	}
	if err := m.allow(count); err != nil {
		return err
	}
	block := max(1, 4096/w.channels)
	samples := make([]float32, block*w.channels)
	for ; count > 0; count -= block {
		block = min(block, count)
		samples = samples[:block*w.channels]
		w.coding(samples, sound)
		sound = sound[block*frame:]
		if err := m.interleaved(samples, w.channels); err != nil {
			return err
		}
	}
	return nil
}
