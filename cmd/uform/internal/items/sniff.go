package items

import (
	"bytes"

	"github.com/unum-cloud/uform-go/uform"
)

// sniffed is how many first bytes of a file [Sniff] looks at.
const sniffed = 16

// Sniff returns what a file is by its first bytes, whatever its name: a picture, a video or a
// recording in one of the formats of docs/checkpoint.md, else a text.
func Sniff(head []byte) uform.Modality {
	at := func(offset int, magic string) bool {
		return len(head) >= offset && bytes.HasPrefix(head[offset:], []byte(magic))
	}
	switch {
	case at(0, "\xFF\xD8\xFF"), at(0, "\x89PNG\r\n\x1A\n"), at(0, "RIFF") && at(8, "WEBP"):
		return uform.Image
	case at(4, "ftyp"), at(0, "\x1A\x45\xDF\xA3"):
		return uform.Video
	case (at(0, "RIFF") || at(0, "RF64")) && at(8, "WAVE"), at(0, "fLaC"), at(0, "OggS"):
		return uform.Audio
	case at(0, "ID3") && len(head) > 3 && head[3] < 0x10, isFrame(head):
		return uform.Audio
	}
	return uform.Text
}

// isFrame reports whether a frame of MPEG audio begins here. A text in UTF-16 begins with bytes
// that look like one of layer I, which no model takes.
func isFrame(head []byte) bool {
	if len(head) < 4 || head[0] != 0xFF || head[1]&0xE0 != 0xE0 {
		return false
	}
	version, layer := head[1]>>3&3, head[1]>>1&3
	return version != 1 && (layer == 1 || layer == 2) && head[2]>>4 != 15 && head[2]>>2&3 != 3
}
