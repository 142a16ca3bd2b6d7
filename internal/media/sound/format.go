package sound

import "bytes"

// Format is a container of recordings.
type Format int

// The formats that [Sniff] detects.
const (
	// WAV is RIFF or RF64 with WAVE in it.
	WAV Format = iota + 1
	// FLAC is a native FLAC stream; one in Ogg is [Ogg].
	FLAC
	// Ogg holds Opus or Vorbis.
	Ogg
	// MP3 is a sequence of MPEG audio frames.
	MP3
)

// String returns the format's usual name.
func (f Format) String() string {
	switch f {
	case WAV:
		return "WAV"
	case FLAC:
		return "FLAC"
	case Ogg:
		return "Ogg"
	case MP3:
		return "MP3"
	}
	return "unknown"
}

// Sniff detects the format of a file by its first bytes, never by a name. A leading ID3v2 tag is
// skipped; what follows one, if it is no other format, is treated as MP3. A detected format does
// not mean that the file decodes.
func Sniff(data []byte) (Format, bool) {
	rest := data[tagLength(data):]
	switch {
	case len(rest) >= 12 && string(rest[8:12]) == "WAVE" && (string(rest[:4]) == "RIFF" || string(rest[:4]) == "RF64"):
		return WAV, true
	case bytes.HasPrefix(rest, []byte("fLaC")):
		return FLAC, true
	case bytes.HasPrefix(rest, []byte("OggS")):
		return Ogg, true
	case bytes.HasPrefix(data, []byte("ID3")):
		return MP3, true
	}
	if _, ok := parseMPEGHeader(rest); ok {
		return MP3, true
	}
	return 0, false
}

// tagLength returns the length in bytes of the ID3v2 tags at the start of data, 0 without any. A
// tag that is longer than data has the length of data.
func tagLength(data []byte) int {
	const header, footer = 10, 0x10
	length := 0
	for {
		rest := data[length:]
		if len(rest) < header || string(rest[:3]) != "ID3" || rest[3] == 0xFF || rest[4] == 0xFF {
			return length
		}
		size := header
		for i, b := range rest[6:10] {
			if b >= 0x80 {
				return length
			}
			size += int(b) << (7 * (3 - i))
		}
		if rest[5]&footer != 0 {
			size += header
		}
		if size >= len(rest) {
			return len(data)
		}
		length += size
	}
}
