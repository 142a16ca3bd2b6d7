package sound

import (
	"encoding/binary"
	"math"
)

// waveFile is the state of a walk over the chunks of a WAV file.
type waveFile struct {
	data []byte
	// end is where the file ends by its first header. It is meaningless if the file is unsized:
	// written by a program that could not seek back to fill in the size.
	end     int64
	unsized bool
	// sound is the size of the sound in a ds64 chunk, negative without one.
	sound int64
	form  *waveform
}

const (
	riffHeader  = 12
	chunkHeader = 8
	// unknownSize is in RF64 if ds64 has the size; it is also FFmpeg's placeholder.
	unknownSize = 0xFFFFFFFF
)

// placeholder reports whether a size is one that writers leave if they cannot seek back to fill it
// in: the largest value of 31 or 32 bits, give or take a header, a block or a sample. FFmpeg writes
// 0xFFFFFFFF, sox and espeak 0x7FFFF000, LAME 0x7FFFFFFF (0x80000023 with the headers). It counts
// only if it is past the end of the file; another size past the end means that the file was cut.
func placeholder(size int64) bool {
	const near = 1 << 16
	return size >= 1<<31-near && size < 1<<31+near || size >= 1<<32-near && size < 1<<32
}

// decodeWAV walks the chunks of a file: ds64 (in RF64), fmt, data, and others, which are skipped.
// Every chunk must be as long as it declares, and the file as long as its first header declares,
// except for a padding byte at the very end and for placeholders. Bytes after the end by the first
// header are ignored.
func decodeWAV(data []byte, m *mixer) error {
	le := binary.LittleEndian
	size := int64(le.Uint32(data[4:]))
	f := &waveFile{data: data, end: size + chunkHeader, sound: -1}
	f.unsized = size == 0 || placeholder(size) && f.end > int64(len(data))
	long := string(data[:4]) == "RF64"
	for at := int64(riffHeader); ; {
		if at >= int64(len(data))-1 {
			return early(WAV, "before its sound")
		}
		if int64(len(data))-at < chunkHeader {
			return early(WAV, "inside a chunk's header")
		}
		name, length := string(data[at:at+4]), int64(le.Uint32(data[at+4:]))
		at += chunkHeader
		if name == "data" {
			return f.decode(at, length, m)
		}
		if length > int64(len(data))-at {
			return early(WAV, "inside a chunk before its sound")
		}
		body := data[at : at+length]
		at += length + length&1
		var err error
		switch {
		case name == "fmt " && f.form == nil:
			f.form, err = parseWaveform(body)
		case name == "ds64" && long:
			err = f.readSizes(body)
		}
		if err != nil {
			return err
		}
	}
}

// readSizes reads a ds64 chunk: the sizes of the file and of its sound. All ones, and a file of
// size 0, mean that they were never filled in.
func (f *waveFile) readSizes(body []byte) error {
	if len(body) < 24 {
		return malformed("the ds64 chunk of the WAV file has %d bytes; at least 24 are needed", len(body))
	}
	size, sound := binary.LittleEndian.Uint64(body), binary.LittleEndian.Uint64(body[8:])
	f.unsized = size == 0 || size > math.MaxInt64
	f.end = int64(min(size, math.MaxInt64-chunkHeader)) + chunkHeader
	f.sound = int64(min(sound, math.MaxInt64))
	if sound > math.MaxInt64 || sound == 0 && f.unsized {
		f.sound = -1
	}
	return nil
}

// decode decodes the sound, which begins at start and has the length of its chunk. It extends to
// the end of the file if that length is a placeholder; if it is past the end of a file that is
// unsized; and if it is 0 in a file that is unsized or ends here by its first header: a recorder
// stopped before it filled in the sizes.
func (f *waveFile) decode(at, length int64, m *mixer) error {
	if f.form == nil {
		return malformed("the WAV file has no fmt chunk before its sound, so the format of its samples is unknown")
	}
	left := int64(len(f.data)) - at
	switch {
	case f.sound >= 0 && length == unknownSize:
		length = f.sound
	case length > left && (f.unsized || placeholder(length)), length == 0 && (f.unsized || at >= f.end):
		length, f.unsized = left, true
	}
	if length > left {
		return early(WAV, "inside its sound")
	}
	if err := f.checkTail(at + length); err != nil {
		return err
	}
	return f.form.decode(f.data[at:at+length], m)
}

// checkTail skips the chunks after the sound, up to the end by the file's first header. Fewer bytes
// than a chunk's header are not a chunk, and are accepted as long as the file has all of them.
func (f *waveFile) checkTail(at int64) error {
	if f.unsized {
		return nil
	}
	length := int64(len(f.data))
	for at += at & 1; at < f.end && length-at >= chunkHeader; at += at & 1 {
		at += chunkHeader + int64(binary.LittleEndian.Uint32(f.data[at+4:]))
		if at > length {
			return early(WAV, "inside a chunk behind its sound")
		}
	}
	// The padding byte of the last chunk may be missing, whether or not it is counted.
	if f.end > length && (at < length || at < f.end-1) {
		return early(WAV, "behind its sound")
	}
	return nil
}
