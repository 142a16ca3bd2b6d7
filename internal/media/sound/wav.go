package sound

import "encoding/binary"

// Sizes that a writer leaves behind who could not go back to fill them in. With one of them the sound goes on to the end
// of the file.
const (
	unknownSize = 0xFFFFFFFF // FFmpeg, and RF64, which has the true size in its ds64 chunk
	soxSize     = 0x7FFFF000 // sox
)

// waveform is how a WAV file lays out its sound.
type waveform struct {
	coding   sampleCoding
	channels int
	rate     int
	width    int // bytes of a sample
}

// decodeWAV walks the chunks of a file: ds64 (in RF64), fmt, data, and others, which are passed over. Every chunk must be
// as long as it says, and the file as long as its first header says, but for a padding byte at the very end and the
// sizes above. Sound of size 0 runs to the end of the file where the first header too leaves no room for it: a recorder
// died before it filled them in. Bytes behind the end that the first header gives are not looked at.
func decodeWAV(data []byte, m *mixer) error {
	le := binary.LittleEndian
	long := string(data[:4]) == "RF64"
	size := int64(le.Uint32(data[4:]))
	streamed := size == 0 || size == unknownSize || size >= soxSize && size < soxSize+1<<10
	var dataSize int64 = -1
	var form *waveform
	for at := int64(12); ; {
		if at >= int64(len(data))-1 {
			return early(WAV, "before its sound")
		}
		if int64(len(data))-at < 8 {
			return early(WAV, "inside a chunk's header")
		}
		name, length := string(data[at:at+4]), int64(le.Uint32(data[at+4:]))
		at += 8
		if name == "data" {
			if form == nil {
				return malformed("the WAV file has no fmt chunk before its sound, so its samples mean nothing")
			}
			if long && dataSize >= 0 && length == unknownSize {
				length = dataSize
			} else if length == unknownSize || length == soxSize || length == 0 && (streamed || at >= size+8) {
				length = int64(len(data)) - at
				streamed = true
			}
			if length > int64(len(data))-at {
				return early(WAV, "inside its sound")
			}
			if err := checkTail(data, at+length, size, streamed); err != nil {
				return err
			}
			return form.decode(data[at:at+length], m)
		}
		if length > int64(len(data))-at {
			return early(WAV, "inside a chunk before its sound")
		}
		body := data[at : at+length]
		at += length + length&1
		switch {
		case name == "fmt " && form == nil:
			var err error
			if form, err = parseWaveform(body); err != nil {
				return err
			}
		case name == "ds64" && long:
			if length < 24 {
				return malformed("the ds64 chunk of the WAV file has %d bytes; at least 24 are needed", length)
			}
			// All ones mean that this size too was never filled in.
			if size = int64(le.Uint64(body)); size < 0 {
				streamed = true
			} else {
				streamed = size == 0
			}
			dataSize = int64(le.Uint64(body[8:]))
			if dataSize == 0 && streamed {
				dataSize = -1
			}
		}
	}
}

// checkTail passes over the chunks behind the sound, up to the size in the file's first header.
func checkTail(data []byte, at, size int64, streamed bool) error {
	if streamed {
		return nil
	}
	if size > int64(len(data)) {
		return early(WAV, "behind its sound")
	}
	end := size + 8
	for at += at & 1; at < end; {
		if int64(len(data))-at < 8 {
			// The padding byte of the last chunk may be missing, or counted and missing.
			if at >= end-1 && at >= int64(len(data)) {
				return nil
			}
			return early(WAV, "behind its sound")
		}
		length := int64(binary.LittleEndian.Uint32(data[at+4:]))
		at += 8 + length
		if at > int64(len(data)) {
			return early(WAV, "inside a chunk behind its sound")
		}
		at += length & 1
	}
	return nil
}

// extensibleTail is what follows the code in the identifier of an extensible fmt chunk.
const extensibleTail = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71"

func parseWaveform(body []byte) (*waveform, error) {
	if len(body) < 16 {
		return nil, malformed("the fmt chunk of the WAV file has %d bytes; at least 16 are needed", len(body))
	}
	le := binary.LittleEndian
	code := le.Uint16(body)
	frame := int(le.Uint16(body[12:]))
	form := &waveform{channels: int(le.Uint16(body[2:])), rate: int(le.Uint32(body[4:]))}
	if code == codeExtensible {
		if len(body) < 40 {
			return nil, malformed("the extensible fmt chunk of the WAV file has %d bytes; 40 are needed", len(body))
		}
		if string(body[26:40]) != extensibleTail {
			return nil, unsupported("the WAV file holds a coding with an identifier of its own; convert it to PCM")
		}
		code = le.Uint16(body[24:])
	}
	if form.channels == 0 {
		return nil, malformed("the WAV file has no channels")
	}
	if frame == 0 || frame%form.channels != 0 {
		return nil, malformed("the WAV file has %d bytes for the samples of %d channels", frame, form.channels)
	}
	form.width = frame / form.channels
	if form.coding = codingOf(code, form.width); form.coding == nil {
		return nil, unsupported("the WAV file holds coding %#x with samples of %d bytes; convert it to PCM", code, form.width)
	}
	return form, nil
}

// decode mixes sound, all of which must be whole samples of all channels.
func (w *waveform) decode(sound []byte, m *mixer) error {
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
