package raster

import "bytes"

// Format is a kind of image file.
type Format uint8

// The formats that [Decode] reads. The zero Format is none of them.
const (
	JPEG Format = iota + 1
	PNG
	WebP
)

// String returns the name of the format, as errors use it.
func (f Format) String() string {
	switch f {
	case JPEG:
		return "JPEG"
	case PNG:
		return "PNG"
	case WebP:
		return "WebP"
	}
	return "unknown format"
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// Sniff detects the format of a file by its first bytes, and reports whether [Decode] reads it.
// Twelve bytes are enough.
func Sniff(data []byte) (Format, bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xD8, 0xFF}):
		return JPEG, true
	case bytes.HasPrefix(data, []byte(pngSignature)):
		return PNG, true
	case len(data) >= riffHeader && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return WebP, true
	}
	return 0, false
}
