package sound

import (
	"encoding/binary"
	"math"
)

// waveFile is a WAV file while its chunks are walked.
type waveFile struct {
	data []byte
	// end is where the file ends by its first header. It means nothing where the file is unsized:
	// written by somebody who could not go back to fill the size in.
	end     int64
	unsized bool
	// sound is the size of the sound that a ds64 chunk gives, negative without one.
	sound int64
	form  *waveform
}

const (
	riffHeader  = 12
	chunkHeader = 8
	// unknownSize stands in RF64 where ds64 has the size, and is FFmpeg's placeholder.
	unknownSize = 0xFFFFFFFF
)

// placeholder reports whether a size is one that writers leave after who cannot go back to fill it
// in: the greatest that 31 or 32 bits hold, give or take a header, a block or a sample. So do
// FFmpeg (0xFFFFFFFF), sox and espeak (0x7FFFF000), and LAME (0x7FFFFFFF, 0x80000023 with the
// headers). It counts only where it leads past the end of the file; another size that does so is
// that of a file that was cut.
func placeholder(size int64) bool {
	const near = 1 << 16
	return size >= 1<<31-near && size < 1<<31+near || size >= 1<<32-near && size < 1<<32
}

// decodeWAV walks the chunks of a file: ds64 (in RF64), fmt, data, and others, which are passed
// over. Every chunk must be as long as it says, and the file as long as its first header says, but
// for a padding byte at the very end and for placeholders. Bytes after the end that the first
// header gives are not looked at.
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

// decode decodes the sound, which begins at a place and is as long as its chunk says. It goes on to
// the end of the file where that length is a placeholder, or leads past the end of a file that is
// unsized; and where it is 0, if the file is unsized or by its first header ends here: a recorder
// died before it filled the sizes in.
func (f *waveFile) decode(at, length int64, m *mixer) error {
	if f.form == nil {
		return malformed("the WAV file has no fmt chunk before its sound, so its samples mean nothing")
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

// checkTail passes over the chunks after the sound, up to the end that the file's first header
// gives. Fewer bytes than a chunk's header are no chunk, and nothing is missing as long as the file
// has them all.
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
	// The padding byte of the last chunk may be missing, or counted and missing.
	if f.end > length && (at < length || at < f.end-1) {
		return early(WAV, "behind its sound")
	}
	return nil
}
