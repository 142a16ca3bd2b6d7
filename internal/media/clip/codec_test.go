package clip_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/clip"
)

func TestPeek(t *testing.T) {
	for name, c := range map[string]struct {
		codec       string
		data        []byte
		key, hidden bool
	}{
		"a key":                           {"VP8", []byte{0x10}, true, false},
		"a key nobody sees":               {"VP8", []byte{0x00}, true, true},
		"a frame":                         {"VP8", []byte{0x11}, false, false},
		"a frame nobody sees":             {"VP8", []byte{0x01}, false, true},
		"VP9":                             {"VP9", []byte{0b10_00_0_0_1_0, 0}, false, false},
		"VP9, nobody sees it":             {"VP9", []byte{0b10_00_0_1_0_0, 0}, false, true},
		"VP9, one that was there":         {"VP9", []byte{0b10_00_1_0_0_0}, false, false},
		"VP9, profile 3":                  {"VP9", []byte{0b10_11_0_0_0_1, 0}, false, false},
		"VP9, profile 3, nobody sees it":  {"VP9", []byte{0b10_11_0_0_0_0, 0}, false, true},
		"VP9, two, of which one is shown": {"VP9", []byte{0b10_00_0_1_0_0, 0x02, 0xC1, 1, 1, 0xC1}, false, false},
		"VP9, no two":                     {"VP9", []byte{0b10_00_0_1_0_0, 0x02, 0xC0, 1, 1, 0xC1}, false, true},
		"VP9, less than it says":          {"VP9", []byte{0xC7}, false, false},
	} {
		key, hidden := clip.Peek(c.codec, c.data)
		require.Equal(t, c.key, key, name)
		require.Equal(t, c.hidden, hidden, name)
	}
}

func TestPackets(t *testing.T) {
	// The lengths take two bytes each.
	avc := "\x01\x64\x00\x0A\xFD" + "\xE1\x00\x03\x67\x01\x02" + "\x02\x00\x01\x68\x00\x02\x68\x09"
	hevc := "\x01" + string(make([]byte, 20)) + "\xF0" + "\x02" + "\xA0\x00\x01\x00\x01\x40" + "\xA1\x00\x02\x00\x01\x42\x00\x02\x42\x07"
	for name, c := range map[string]struct {
		codec, config, data string
		first               bool
		want                string
	}{
		"H.264":            {"H.264", avc, "\x00\x02AB\x00\x00\x00\x01C", false, "\x00\x00\x00\x01AB\x00\x00\x00\x01\x00\x00\x00\x01C"},
		"H.264, the first": {"H.264", avc, "\x00\x01A", true, "\x00\x00\x00\x01\x67\x01\x02\x00\x00\x00\x01\x68\x00\x00\x00\x01\x68\x09\x00\x00\x00\x01A"},
		"H.265, the first": {"H.265", hevc, "\x03ABC", true, "\x00\x00\x00\x01\x40\x00\x00\x00\x01\x42\x00\x00\x00\x01\x42\x07\x00\x00\x00\x01ABC"},
		"AV1, the first":   {"AV1", "\x81\x00\x00\x00HEAD", "data", true, "HEADdata"},
		"AV1":              {"AV1", "\x81\x00\x00\x00HEAD", "data", false, "data"},
		"AV1, no header":   {"AV1", "\x81", "data", true, "data"},
		"MPEG-4":           {"MPEG-4", "HEAD", "data", true, "HEADdata"},
		"VP9":              {"VP9", "HEAD", "data", true, "data"},
	} {
		packet, err := clip.Packet(c.codec, []byte(c.config), []byte(c.data), c.first)
		require.NoError(t, err, name)
		require.Equal(t, c.want, string(packet), name)
	}
	for name, c := range map[string]struct{ codec, config, data string }{
		"a unit longer than its sample": {"H.264", avc, "\x00\x03AB"},
		"half a length":                 {"H.264", avc, "\x00"},
		"no header":                     {"H.264", "", "\x00\x01A"},
		"a header without its end":      {"H.264", avc[:len(avc)-1], "\x00\x01A"},
		"H.265 without its end":         {"H.265", hevc[:len(hevc)-1], "\x01A"},
	} {
		_, err := clip.Packet(c.codec, []byte(c.config), []byte(c.data), true)
		require.ErrorIs(t, err, errors.ErrMalformed, name)
	}
}
