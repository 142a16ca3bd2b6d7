package raster_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/raster"
)

// segments returns where the segments with a marker begin in a JPEG, at their byte of 0xFF.
func segments(t testing.TB, file []byte, marker byte) []int {
	var found []int
	for at := 2; file[at] != 0xFF || file[at+1] != 0xD9; {
		if file[at] != 0xFF || file[at+1] == 0 || file[at+1]&0xF8 == 0xD0 {
			at++
			continue
		}
		if file[at+1] == marker {
			found = append(found, at)
		}
		at += 2 + int(binary.BigEndian.Uint16(file[at+2:]))
	}
	require.NotEmpty(t, found)
	return found
}

func frameOf(t testing.TB, file []byte) int { return segments(t, file, 0xC0)[0] }

// without returns a JPEG without a part.
func without(file []byte, begin, end int) []byte { return slices.Delete(bytes.Clone(file), begin, end) }

// pngOf returns a PNG of some size that holds nothing.
func pngOf(t testing.TB, width, height uint32) []byte {
	header := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	header = append(binary.BigEndian.AppendUint32(header, height), 8, 2, 0, 0, 0)
	file := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0D"), header...)
	require.Len(t, header, 17)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(header))
}

// Bug 6: the orientation was ignored. The eight files hold one photograph, without loss; the chroma
// of a turned one is rounded the other way.
func TestOrientations(t *testing.T) {
	upright := decode(t, "oriented-1.jpg")
	require.Equal(t, [2]int{96, 64}, [2]int{upright.Width, upright.Height})
	orders := map[string]int{}
	for orientation := 1; orientation <= 8; orientation++ {
		name := fmt.Sprintf("oriented-%d.jpg", orientation)
		requireNear(t, upright, decode(t, name), 3, 0.3, name)
		exif := bytes.Index(sample(t, name), []byte("Exif\x00\x00"))
		orders[string(sample(t, name)[exif+6:exif+8])]++
	}
	require.Equal(t, map[string]int{"II": 2, "MM": 6}, orders, "both byte orders are among the samples")
}

func TestTurn(t *testing.T) {
	// Each pixel is a letter:  a b c
	//                          d e f
	stored := &raster.Image{Width: 3, Height: 2}
	for _, letter := range "abcdef" {
		stored.RGB = append(stored.RGB, byte(letter), byte(letter)+1, byte(letter)+2)
	}
	for orientation, want := range map[int][]string{
		0: {"abc", "def"},
		1: {"abc", "def"},
		2: {"cba", "fed"},
		3: {"fed", "cba"},
		4: {"def", "abc"},
		5: {"ad", "be", "cf"},
		6: {"da", "eb", "fc"},
		7: {"fc", "eb", "da"},
		8: {"cf", "be", "ad"},
		9: {"abc", "def"},
	} {
		got := raster.Turn(stored, orientation)
		require.Equal(t, [2]int{len(want[0]), len(want)}, [2]int{got.Width, got.Height}, "orientation %d", orientation)
		var rows []string
		for at := 0; at < len(got.RGB); at += got.Width * 3 {
			row := ""
			for x := range got.Width {
				pixel := got.RGB[at+3*x:][:3]
				require.Equal(t, []byte{pixel[0], pixel[0] + 1, pixel[0] + 2}, pixel)
				row += string(rune(pixel[0]))
			}
			rows = append(rows, row)
		}
		require.Equal(t, want, rows, "orientation %d", orientation)
	}
}

// Bug 7: files of four inks were refused, or came out inverted. The twin is the RGB that the inks
// were made from, so what is left is JPEG's own loss, and that of a quarter of the chroma at the
// edges of pure colours. An inverted file is off by a hundred on average.
func TestInks(t *testing.T) {
	twin := goldenImage(t, "twin.ppm")
	requireNear(t, twin, decode(t, "cmyk.jpg"), 20, 1.6, "cmyk.jpg")
	requireNear(t, twin, decode(t, "cmyk-plain.jpg"), 20, 1.6, "cmyk-plain.jpg")
	requireNear(t, twin, decode(t, "ycck.jpg"), 20, 2.6, "ycck.jpg")
	requireNear(t, twin, decode(t, "ycck-2x2.jpg"), 255, 10, "ycck-2x2.jpg")
}

// A picture whose last scan is short must not come out with gray at its end.
func TestJPEGShortScan(t *testing.T) {
	for _, name := range []string{"baseline.jpg", "restarts.jpg", "gray.jpg", "cmyk.jpg", "progressive.jpg"} {
		file := sample(t, name)
		scans := segments(t, file, 0xDA)
		last := scans[len(scans)-1]
		begin := last + 2 + int(binary.BigEndian.Uint16(file[last+2:]))
		for end := begin; end < len(file)-4; end += 7 {
			short := append(bytes.Clone(file[:end]), 0xFF, 0xD9)
			_, err := raster.Decode(short, nil, background)
			require.ErrorIs(t, err, errors.ErrMalformed, "%s: scan of %d bytes", name, end-begin)
		}
	}
}

func TestJPEGRefused(t *testing.T) {
	baseline, scans := sample(t, "baseline.jpg"), sample(t, "scans.jpg")
	frame := frameOf(t, baseline)
	patched := func(offset int, bytes ...byte) []byte {
		file := slices.Clone(baseline)
		copy(file[offset:], bytes)
		return file
	}
	third := segments(t, scans, 0xDA)[2]
	end := len(scans) - 2
	// One scan, over and over. Each is valid of a progressive file, whose first scans are those of
	// the whole picture.
	progressive := sample(t, "progressive.jpg")
	first := segments(t, progressive, 0xDA)[0]
	// The second scan begins with its Huffman table.
	second := first + bytes.Index(progressive[first:], []byte{0xFF, 0xC4})
	scan := progressive[first:second]
	progressiveScans := segments(t, progressive, 0xDA)
	lastScan := progressiveScans[len(progressiveScans)-1]
	for name, c := range map[string]struct {
		file   []byte
		status error
		cause  string
	}{
		"arithmetic":           {sample(t, "arithmetic.jpg"), errors.ErrUnsupported, "arithmetically"},
		"lossless":             {patched(frame+1, 0xC3), errors.ErrUnsupported, "lossless"},
		"hierarchical":         {patched(frame+1, 0xC5), errors.ErrUnsupported, "hierarchical"},
		"twelve bits":          {patched(frame+4, 12), errors.ErrUnsupported, "12 bits"},
		"three to two":         {patched(frame+11, 0x31, 0, 2, 0x21), errors.ErrUnsupported, "uncommon way"},
		"sampled by none":      {patched(frame+11, 0x10), errors.ErrMalformed, "sampled 1×0"},
		"sampled by five":      {patched(frame+14, 0x51), errors.ErrMalformed, "sampled 5×1"},
		"one number for two":   {patched(frame+13, 1), errors.ErrMalformed, "two components have the number 1"},
		"no width":             {patched(frame+5, 0, 9, 0, 0), errors.ErrMalformed, "0×9 pixels: one side is zero"},
		"no height":            {patched(frame+5, 0, 0), errors.ErrMalformed, "one side is zero"},
		"components left out":  {patched(frame+9, 2), errors.ErrMalformed, "frame header of 15 bytes"},
		"two components":       {slices.Concat(baseline[:frame], []byte("\xFF\xC0\x00\x0E\x08\x00\x09\x00\x09\x02\x01\x11\x00\x02\x11\x00"), baseline[frame+19:]), errors.ErrUnsupported, "2 components"},
		"two frames":           {slices.Concat(baseline[:frame], baseline[frame:frame+19], baseline[frame:]), errors.ErrMalformed, "two frames"},
		"no frame":             {without(baseline, frame, frame+19), errors.ErrMalformed, "does not decode"},
		"no scan":              {[]byte("\xFF\xD8\xFF\xD9"), errors.ErrMalformed, "without a frame"},
		"short segment":        {[]byte("\xFF\xD8\xFF\xE0\x00\x01"), errors.ErrMalformed, "segment of 1 bytes"},
		"short scan header":    {[]byte("\xFF\xD8\xFF\xDA\x00\x02\xFF\xD9"), errors.ErrMalformed, "scan header of 0 bytes"},
		"no scan header":       {patched(segments(t, baseline, 0xDA)[0]+4, 0), errors.ErrMalformed, "a scan header of 10 bytes"},
		"a stranger scanned":   {patched(segments(t, baseline, 0xDA)[0]+5, 9), errors.ErrMalformed, "component 9, which does not exist"},
		"scanned twice":        {patched(segments(t, baseline, 0xDA)[0]+7, 1), errors.ErrMalformed, "component 1 twice"},
		"no such codes":        {patched(segments(t, baseline, 0xDA)[0]+6, 0x22), errors.ErrMalformed, "Huffman table 2, which does not exist"},
		"too many codes":       {patched(segments(t, baseline, 0xC4)[0]+5, 3, 1, 2), errors.ErrMalformed, "more codes than its lengths allow"},
		"a component missing":  {without(scans, third, end), errors.ErrMalformed, "without a scan of component 3"},
		"no first scan":        {without(progressive, first, second), errors.ErrMalformed, "without a scan of component 1"},
		"no last scan":         {without(progressive, lastScan, len(progressive)-2), errors.ErrMalformed, "the last scans of component 1 are missing"},
		"a table missing":      {patched(segments(t, baseline, 0xDB)[1]+4, 3), errors.ErrMalformed, "names quantization table 1"},
		"bad Huffman code":     {patched(segments(t, baseline, 0xDA)[0]+14, bytes.Repeat([]byte{0xFF, 0}, 40)...), errors.ErrMalformed, "does not decode"},
		"more scans than sane": {slices.Concat(progressive[:first], bytes.Repeat(scan, 101), progressive[first:]), errors.ErrMalformed, "over 100 scans"},
	} {
		t.Run(name, func(t *testing.T) {
			im, err := raster.Decode(c.file, nil, background)
			require.ErrorIs(t, err, c.status)
			require.ErrorContains(t, err, c.cause)
			require.Nil(t, im)
		})
	}
}

// What encoders do that need not be done.
func TestJPEGTolerated(t *testing.T) {
	baseline := sample(t, "baseline.jpg")
	frame := frameOf(t, baseline)
	extended := sample(t, "extended.jpg")
	tables := segments(t, extended, 0xDB)
	require.Len(t, tables, 2)
	merged := without(extended, tables[1], tables[1]+4)
	binary.BigEndian.PutUint16(merged[tables[0]+2:], 2+2*129)
	// Both kinds of chroma name the second table, which is the third now.
	merged[tables[1]] = 0x13
	frameAt := segments(t, merged, 0xC1)[0]
	merged[frameAt+15], merged[frameAt+18] = 3, 3
	im, err := raster.Decode(merged, nil, background)
	require.NoError(t, err)
	require.Equal(t, decode(t, "extended.jpg"), im, "two tables in one segment")
	for name, file := range map[string][]byte{
		"fill bytes":            slices.Insert(bytes.Clone(baseline), frame, 0xFF, 0xFF, 0xFF),
		"bytes between":         slices.Insert(bytes.Clone(baseline), frame, 0x11, 0x22, 0xFF, 0x00),
		"a last restart marker": slices.Insert(bytes.Clone(baseline), len(baseline)-2, 0xFF, 0xD0),
		"a damaged EXIF":        slices.Insert(bytes.Clone(baseline), 2, []byte("\xFF\xE1\x00\x10Exif\x00\x00MM\x00*\xFF\xFF\xFF\xFF")...),
		"a thumbnail's end":     slices.Insert(bytes.Clone(baseline), 2, []byte("\xFF\xE1\x00\x08\xFF\xD9\xFF\xD8\xFF\xDA")...),
	} {
		im, err := raster.Decode(file, nil, background)
		require.NoError(t, err, name)
		require.Equal(t, decode(t, "baseline.jpg"), im, name)
	}
}
