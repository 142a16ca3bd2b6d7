package sound_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

const corpus = "../../../testdata/media/audio"

// file returns the content of a file of the corpus.
func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name))
	require.NoError(t, err)
	return data
}

// names returns the corpus's files, of which those that golden tells have one.
func names(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(corpus)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && filepath.Ext(entry.Name()) != ".md" {
			names = append(names, entry.Name())
		}
	}
	require.Greater(t, len(names), 40)
	return names
}

// golden returns what a file must decode to, nil where the corpus does not say, and whether to the
// bit.
func golden(t testing.TB, name string) (samples []float32, exact bool) {
	t.Helper()
	switch name {
	case "chained.opus":
		return append(must(golden(t, "celt.opus")), must(golden(t, "lavc.opus"))...), false
	case "chained.ogg":
		return append(must(golden(t, "mono.ogg")), must(golden(t, "mono.ogg"))...), false
	}
	if data, err := os.ReadFile(filepath.Join(corpus, "golden", name+".f32")); err == nil {
		for ; len(data) > 0; data = data[4:] {
			samples = append(samples, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		return samples, true
	}
	if data, err := os.ReadFile(filepath.Join(corpus, "golden", name+".s16")); err == nil {
		for ; len(data) > 0; data = data[2:] {
			samples = append(samples, float32(int16(binary.LittleEndian.Uint16(data)))/(1<<15))
		}
	}
	return samples, false
}

func must(samples []float32, _ bool) []float32 { return samples }

// decoded returns what data decodes to.
func decoded(t testing.TB, data []byte) *sound.Recording {
	t.Helper()
	recording, err := sound.Decode(data, nil)
	require.NoError(t, err)
	return recording
}

// concat joins parts into one slice of its own.
func concat(parts ...[]byte) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// id3 returns an ID3v2 tag with size bytes of body.
func id3(size int) []byte {
	tag := append([]byte("ID3\x04\x00\x00"), byte(size>>21)&127, byte(size>>14)&127, byte(size>>7)&127, byte(size)&127)
	for i := range size {
		tag = append(tag, byte(0xFF-i%7)) // looks like frames
	}
	return tag
}
