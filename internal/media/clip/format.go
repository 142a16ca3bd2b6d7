package clip

// Format is a kind of video file.
type Format uint8

// The formats that [Frames] reads. The zero Format is none of them.
const (
	MP4 Format = iota + 1
	WebM
)

// String returns the name of the format, as errors use it.
func (f Format) String() string {
	switch f {
	case MP4:
		return "MP4"
	case WebM:
		return "WebM"
	}
	return "unknown format"
}

// Sniff detects the format of a file by its first bytes, and reports whether [Frames] reads it.
// Eight bytes are enough. Matroska begins like WebM, and is treated as such.
func Sniff(data []byte) (Format, bool) {
	switch {
	case len(data) >= 8 && string(data[4:8]) == "ftyp":
		return MP4, true
	case len(data) >= 4 && string(data[:4]) == "\x1A\x45\xDF\xA3":
		return WebM, true
	}
	return 0, false
}
