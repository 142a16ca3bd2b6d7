package sound

import (
	"encoding/binary"
	"math"
)

// mpegInfo is the content of an information frame: Xing's, which most encoders write, or
// Fraunhofer's (VBRI).
type mpegInfo struct {
	length  int // of the information frame itself
	frames  int // that follow, 0 where unknown
	bytes   int // of the stream, with the information frame; no end where unknown
	trims   bool
	delay   int // samples that the encoder put in front, where trims is set
	padding int // and after
}

// parseInfo returns the information in frame, or nil if the frame holds sound.
func parseInfo(frame *mpegFrame) *mpegInfo {
	const vbriStart = mpegHeaderLength + 32
	// Encoders leave no room for the checksum that the header may declare.
	for _, start := range []int{mpegHeaderLength + frame.sideLength(), frame.mainStart()} {
		if len(frame.data) < start+8 {
			continue
		}
		if name := string(frame.data[start:][:4]); name == "Xing" || name == "Info" {
			return parseXing(frame, frame.data[start+4:])
		}
	}
	if len(frame.data) >= vbriStart+18 && string(frame.data[vbriStart:][:4]) == "VBRI" {
		fields := frame.data[vbriStart+10:]
		return &mpegInfo{
			length: len(frame.data),
			bytes:  int(binary.BigEndian.Uint32(fields)),
			frames: int(binary.BigEndian.Uint32(fields[4:])),
		}
	}
	return nil
}

// parseXing reads the fields after the name, each present by a flag. LAME's extension follows them;
// it is there only if an encoder that writes it signs.
func parseXing(frame *mpegFrame, fields []byte) *mpegInfo {
	const signature, delays, entries = 9, 21, 100
	info := &mpegInfo{length: len(frame.data), bytes: math.MaxInt}
	flags := binary.BigEndian.Uint32(fields)
	fields = fields[4:]
	for flag, length := range []int{4, 4, entries, 4} {
		if flags&(1<<flag) == 0 {
			continue
		}
		if len(fields) < length {
			return info
		}
		switch flag {
		case 0:
			info.frames = int(binary.BigEndian.Uint32(fields))
		case 1:
			info.bytes = int(binary.BigEndian.Uint32(fields))
		}
		fields = fields[length:]
	}
	if len(fields) < delays+3 {
		return info
	}
	switch string(fields[:signature][:4]) {
	case "LAME", "Lavf", "Lavc":
		info.trims = true
		info.delay = int(fields[delays])<<4 | int(fields[delays+1])>>4
		info.padding = int(fields[delays+1]&15)<<8 | int(fields[delays+2])
	}
	return info
}
