package sound

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// mpegFrame is one frame and its place in the file.
type mpegFrame struct {
	mpegHeader
	data []byte
	info *mpegInfo // where the frame tells about those that follow it, and holds no sound
}

// decodeMP3 reads frames from the first byte to the last, except for tags. A file in which a frame
// does not begin where the one before ends is refused: a search for the next frame would lose sound
// silently. Each information frame begins a new stream, since MP3 files are joined by
// concatenation. A stream without one does not declare its length; such a file that was cut between
// two frames cannot be distinguished from a whole one.
func decodeMP3(data []byte, m *mixer) error {
	frames, err := mpegFrames(trimTags(data))
	if err != nil {
		return err
	}
	samples := 0
	for _, frame := range frames {
		samples += 576 * frame.granules()
	}
	if err := m.begin(frames[0].rate(), samples); err != nil {
		return err
	}
	for len(frames) > 0 {
		stream := &mpegStream{frames: frames}
		if frames[0].info != nil {
			stream.info, stream.frames = frames[0].info, frames[1:]
			frames = frames[1:]
		}
		for i := range stream.frames {
			if stream.frames[i].info != nil {
				stream.frames = stream.frames[:i]
				break
			}
		}
		frames = frames[len(stream.frames):]
		if err := stream.decode(m); err != nil {
			return err
		}
	}
	return nil
}

// mpegStream is the frames that one encoder wrote.
type mpegStream struct {
	info   *mpegInfo // or nil
	frames []mpegFrame
}

// synthesisDelay is the decoder's delay, in samples.
const synthesisDelay = 529

func (s *mpegStream) decode(m *mixer) error {
	if s.info != nil && len(s.frames) < s.info.frames && s.length() < s.info.bytes {
		return early(MP3, "after "+strconv.Itoa(len(s.frames))+" of "+strconv.Itoa(s.info.frames)+" frames")
	}
	if len(s.frames) == 0 {
		return nil
	}
	begun := len(m.samples)
	decoder := &mpegDecoder{}
	for i := range s.frames {
		if err := m.allow(576 * s.frames[i].granules()); err != nil {
			return err
		}
		var err error
		if m.samples, err = decoder.decode(m.samples, &s.frames[i]); err != nil {
			return err
		}
	}
	if s.info != nil && s.info.trims {
		m.samples = m.samples[:begun+s.trim(m.samples[begun:])]
	}
	return nil
}

// trim moves the samples without the encoder's delay and padding to the start of samples, and
// returns their number. The padding is at the end of the frames that the encoder counted, which the
// decoder's delay shifts. Frames after those are kept.
func (s *mpegStream) trim(samples []float32) int {
	counted := len(samples)
	if s.info.frames > 0 && s.info.frames < len(s.frames) {
		counted = s.info.frames * 576 * s.frames[0].granules()
	}
	start := min(s.info.delay+synthesisDelay, counted)
	end := max(counted-max(s.info.padding-synthesisDelay, 0), start)
	kept := copy(samples, samples[start:end])
	return kept + copy(samples[kept:], samples[counted:])
}

// length returns the length of the stream in bytes, information frame included.
func (s *mpegStream) length() int {
	length := s.info.length
	for _, frame := range s.frames {
		length += len(frame.data)
	}
	return length
}

// mpegFrames finds the frames of data, of which there is at least one.
func mpegFrames(data []byte) ([]mpegFrame, error) {
	var frames []mpegFrame
	free := 0
	for at := skipZeroes(data, 0); at < len(data); {
		rest := data[at:]
		header, ok := parseMPEGHeader(rest)
		if ok && len(frames) > 0 && !header.continues(frames[0].mpegHeader) {
			if header.version == frames[0].version && header.layer == frames[0].layer {
				return nil, unsupported("the MP3 frame at byte %d differs from the first in its rate; split the file", at)
			}
			ok = false
		}
		if !ok {
			if tag := tagLength(rest); tag > 0 {
				at += tag
				continue
			}
			if len(frames) > 0 && skipZeroes(data, at) == len(data) {
				break
			}
			if len(rest) < mpegHeaderLength && bytes.HasPrefix([]byte{0xFF}, rest[:1]) {
				return nil, early(MP3, "inside a frame's header")
			}
			return nil, malformed("no frame begins at byte %d of the MP3 file; the file is damaged", at)
		}
		if header.layer != 3 {
			return nil, unsupported("the file is MPEG audio of layer %d; only layer 3, MP3, is decoded", header.layer)
		}
		if header.bitrate == 0 && free == 0 {
			if free = freeLength(rest, header); free == 0 {
				return nil, malformed("the MP3 file is of free format, and has no second frame that shows the length of the first")
			}
		}
		length := header.length(free)
		if length < header.mainStart() {
			return nil, malformed("the MP3 frame at byte %d has no room for its side information", at)
		}
		if length > len(rest) {
			return nil, early(MP3, "inside a frame")
		}
		frame := mpegFrame{mpegHeader: header, data: rest[:length]}
		frame.info = parseInfo(&frame)
		frames = append(frames, frame)
		at += length
	}
	if len(frames) == 0 {
		return nil, early(MP3, "before its first frame")
	}
	return frames, nil
}

// skipZeroes returns the end of the zeroes that begin at at; some writers of tags leave zeroes.
func skipZeroes(data []byte, at int) int {
	for at < len(data) && data[at] == 0 {
		at++
	}
	return at
}

// freeLength returns the length, without padding, of a frame of free format at the start of data.
// The length is confirmed by the next two such frames, or by one where data ends. It is 0 if there
// is none.
func freeLength(data []byte, header mpegHeader) int {
	const longest = 4096
	next := func(at int) (mpegHeader, bool) {
		h, ok := parseMPEGHeader(data[min(at, len(data)):])
		return h, ok && h.continues(header) && h.channels == header.channels
	}
	for at := header.mainStart(); at <= longest; at++ {
		second, ok := next(at)
		if !ok {
			continue
		}
		length := at - header.padding
		end := at + length + second.padding
		if _, ok := next(end); ok || end == len(data) {
			return length
		}
	}
	return 0
}

// trimTags removes the tags before and after the frames. ID3v2 tags are skipped elsewhere, since
// they declare their length at the start.
func trimTags(data []byte) []byte {
	const ape, id3v1, lyrics = 32, 128, 15
	le := binary.LittleEndian
	if len(data) >= ape && string(data[:8]) == "APETAGEX" {
		if size := ape + int(le.Uint32(data[12:])); size >= ape && size <= len(data) {
			data = data[size:]
		}
	}
	for {
		n := len(data)
		size := 0
		switch {
		case n >= id3v1 && string(data[n-id3v1:][:3]) == "TAG":
			size = id3v1
		case n >= ape && string(data[n-ape:][:8]) == "APETAGEX":
			footer := data[n-ape:]
			size = int(le.Uint32(footer[12:]))
			if footer[23]&0x80 != 0 { // a header of the same size stands in front
				size += ape
			}
		case n >= lyrics && string(data[n-9:]) == "LYRICS200":
			if inner, err := strconv.Atoi(string(data[n-lyrics:][:6])); err == nil && inner >= 0 {
				size = inner + lyrics
			}
		}
		if size <= 0 || size > n {
			return data
		}
		data = data[:n-size]
	}
}
