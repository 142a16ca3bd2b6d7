package png

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// Picture is rows of bytes, without gaps.
type Picture struct {
	Width, Height int
	// Channels is 1 for gray, 3 for red, green and blue, 4 if alpha follows, which they are not
	// multiplied by.
	Channels int
	Pixels   []byte
}

// channels are those of the kinds of colour.
var channels = [7]int{0: 1, 2: 3, 6: 4}

const (
	signature = "\x89PNG\r\n\x1a\n"
	headBytes = 13
	// outside is what a chunk has beside its body: the length and the name before it, and the
	// checksum.
	outside = 12
)

// Decode decodes a file, and reports whether it is one that this package decodes, of at most a
// number of pixels. The picture owns its bytes.
func Decode(data []byte, most int) (*Picture, bool) {
	head, coded, ok := chunks(data)
	if !ok {
		return nil, false
	}
	width, height := uint64(binary.BigEndian.Uint32(head)), uint64(binary.BigEndian.Uint32(head[4:]))
	depth, kind, compression, filtering, interlaced := head[8], int(head[9]), head[10], head[11], head[12]
	if width == 0 || height == 0 || width > uint64(most) || height > uint64(most)/width ||
		depth != 8 || kind >= len(channels) || channels[kind] == 0 || compression|filtering|interlaced != 0 {
		return nil, false
	}
	p := &Picture{Width: int(width), Height: int(height), Channels: channels[kind]}
	stride := 1 + p.Width*p.Channels
	// A byte of a file becomes at most 1032.
	if size := stride * p.Height; size/1032 > len(data) {
		return nil, false
	}
	out := make([]byte, stride*p.Height+slack)
	if !new(inflater).inflate(out, coded) || !unfilter(out, stride, p.Height, p.Channels) {
		return nil, false
	}
	p.Pixels = out[:p.Width*p.Channels*p.Height]
	return p, true
}

// chunks returns the body of the first chunk of a file, and those of the pixels' end to end, with
// zeros behind. It reports whether all chunks are whole, their checksums right, and none of them
// one that changes what the pixels mean.
func chunks(data []byte) (head, coded []byte, ok bool) {
	if len(data) < len(signature)+outside+headBytes || string(data[:len(signature)]) != signature {
		return nil, nil, false
	}
	ended, before := false, ""
	for rest := data[len(signature):]; !ended; {
		if len(rest) < outside {
			return nil, nil, false
		}
		size := uint64(binary.BigEndian.Uint32(rest))
		if size > uint64(len(rest)-outside) {
			return nil, nil, false
		}
		name, body := string(rest[4:8]), rest[8:8+size]
		if crc32.ChecksumIEEE(rest[4:8+size]) != binary.BigEndian.Uint32(rest[8+size:]) {
			return nil, nil, false
		}
		switch {
		case (name == "IHDR") != (before == ""), name == "IHDR" && size != headBytes:
			return nil, nil, false
		case name == "IHDR":
			head = body
		case name == "IDAT":
			if coded == nil {
				coded = make([]byte, 0, len(rest)+ahead)
			} else if before != name {
				return nil, nil, false
			}
			coded = append(coded, body...)
		case name == "IEND":
			ended = true
		case name[0]&32 == 0, name == "tRNS":
			return nil, nil, false
		}
		before, rest = name, rest[outside+size:]
	}
	return head, slices.Grow(coded, ahead)[:len(coded)+ahead], coded != nil
}
