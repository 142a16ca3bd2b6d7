package raster

import (
	"bytes"
	"encoding/binary"
)

const (
	exifHeader       = "Exif\x00\x00"
	tiffHeader       = 8
	directoryEntry   = 12
	orientationTag   = 0x0112
	shortType        = 3
	longType         = 4
	lastOrientation  = 8
	plainOrientation = 1
)

// exifOrientation returns the orientation, 1 to 8, in the body of an EXIF segment. It returns zero
// if the segment is of another kind, has no orientation, or is damaged: a bad orientation is no
// reason to refuse a photograph.
func exifOrientation(body []byte) int {
	tiff, isExif := bytes.CutPrefix(body, []byte(exifHeader))
	if !isExif || len(tiff) < tiffHeader {
		return 0
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0
	}
	begin := order.Uint32(tiff[4:])
	if uint64(begin)+2 > uint64(len(tiff)) {
		return 0
	}
	entries := tiff[begin+2:]
	for range order.Uint16(tiff[begin:]) {
		if len(entries) < directoryEntry {
			return 0
		}
		if order.Uint16(entries) == orientationTag {
			return orientationOf(order, entries[2:directoryEntry])
		}
		entries = entries[directoryEntry:]
	}
	return 0
}

// orientationOf reads the type, the count and the value of a directory entry.
func orientationOf(order binary.ByteOrder, entry []byte) int {
	var value uint32
	switch order.Uint16(entry) {
	case shortType:
		value = uint32(order.Uint16(entry[6:]))
	case longType:
		value = order.Uint32(entry[6:])
	}
	if order.Uint32(entry[2:]) != 1 || value > lastOrientation {
		return 0
	}
	return int(value)
}
