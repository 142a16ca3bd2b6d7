package raster_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// entry is an entry of an EXIF directory, its value in the four bytes at its end.
type entry struct {
	tag, kind uint16
	count     uint32
	value     []byte
}

// exif returns the body of an EXIF segment, its directory after some bytes of another subject.
func exif(order binary.AppendByteOrder, gap int, entries ...entry) []byte {
	body := []byte("Exif\x00\x00II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		body = []byte("Exif\x00\x00MM\x00*")
	}
	body = order.AppendUint32(body, uint32(8+gap))
	body = append(body, make([]byte, gap)...)
	body = order.AppendUint16(body, uint16(len(entries)))
	for _, e := range entries {
		body = order.AppendUint16(order.AppendUint16(body, e.tag), e.kind)
		body = order.AppendUint32(body, e.count)
		body = append(body, slices.Concat(e.value, make([]byte, 4))[:4]...)
	}
	return body
}

func TestExifOrientation(t *testing.T) {
	little, big := binary.LittleEndian, binary.BigEndian
	make6 := entry{0x010F, 2, 6, []byte("maker\x00")}
	plain := exif(little, 0, entry{0x0112, 3, 1, []byte{6, 0}})
	for name, c := range map[string]struct {
		body []byte
		want int
	}{
		"little-endian":        {plain, 6},
		"big-endian":           {exif(big, 0, entry{0x0112, 3, 1, []byte{0, 8}}), 8},
		"behind other entries": {exif(big, 0, make6, make6, entry{0x0112, 3, 1, []byte{0, 3}}), 3},
		"behind a gap":         {exif(little, 33, make6, entry{0x0112, 3, 1, []byte{5, 0}}), 5},
		"a long":               {exif(big, 0, entry{0x0112, 4, 1, []byte{0, 0, 0, 7}}), 7},
		"one":                  {exif(big, 0, entry{0x0112, 3, 1, []byte{0, 1}}), 1},
		"zero":                 {exif(big, 0, entry{0x0112, 3, 1, []byte{0, 0}}), 0},
		"nine":                 {exif(big, 0, entry{0x0112, 3, 1, []byte{0, 9}}), 0},
		"a large long":         {exif(big, 0, entry{0x0112, 4, 1, []byte{1, 0, 0, 6}}), 0},
		"a text":               {exif(little, 0, entry{0x0112, 2, 1, []byte{6, 0}}), 0},
		"two values":           {exif(little, 0, entry{0x0112, 3, 2, []byte{6, 0}}), 0},
		"another order":        {exif(little, 0, entry{0x0112, 3, 1, []byte{0, 6}}), 0},
		"no entries":           {exif(little, 0), 0},
		"cut in the entry":     {plain[:len(plain)-1], 0},
		"cut in the count":     {plain[:15], 0},
		"cut in the offset":    {plain[:13], 0},
		"an offset outside":    {slices.Concat(plain[:10], []byte{0xFF, 0xFF, 0xFF, 0xFF}, plain[14:]), 0},
		"an offset at the end": {slices.Concat(plain[:10], []byte{26, 0, 0, 0}, plain[14:]), 0},
		"no byte order":        {slices.Concat(plain[:6], []byte("IM"), plain[8:]), 0},
		"no magic":             {slices.Concat(plain[:8], []byte{43}, plain[9:]), 0},
		"another segment":      {[]byte("http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta/>"), 0},
		"nothing":              {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, raster.ExifOrientation(c.body))
		})
	}
}

// The first segment that tells an orientation counts, before the first scan.
func TestExifSegments(t *testing.T) {
	baseline := sample(t, "baseline.jpg")
	segment := func(body []byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(body)+2)), body...)
	}
	six := segment(exif(binary.BigEndian, 0, entry{0x0112, 3, 1, []byte{0, 6}}))
	two := segment(exif(binary.LittleEndian, 0, entry{0x0112, 3, 1, []byte{2, 0}}))
	other := segment([]byte("http://ns.adobe.com/xap/1.0/\x00"))
	for name, c := range map[string]struct {
		at   int
		list [][]byte
		want int
	}{
		"none":              {2, nil, 1},
		"behind others":     {2, [][]byte{other, segment(exif(binary.BigEndian, 0)), six}, 6},
		"the first of two":  {2, [][]byte{six, two}, 6},
		"just before scans": {segments(t, baseline, 0xDA)[0], [][]byte{two}, 2},
		"behind the scan":   {len(baseline) - 2, [][]byte{six}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			file := slices.Insert(bytes.Clone(baseline), c.at, slices.Concat(c.list...)...)
			im, err := raster.Decode(file, nil, background)
			require.NoError(t, err)
			require.Equal(t, raster.Turn(decode(t, "baseline.jpg"), c.want), im)
		})
	}
}
