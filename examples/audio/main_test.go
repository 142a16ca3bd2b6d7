package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/nearest"
)

// found runs the program and answers the names that it printed, in order.
func found(t *testing.T, args ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sheet.png")
	var stdout, stderr bytes.Buffer
	require.Zero(t, nearest.Run(t.Context(), medium, append([]string{"-sheet", path}, args...), &stdout, &stderr), stderr.String())
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	sheet, err := png.Decode(file)
	require.NoError(t, err)
	var names []string
	for line := range strings.Lines(stdout.String()) {
		if fields := strings.Fields(line); strings.HasPrefix(line, "  ") {
			names = append(names, fields[1])
		}
	}
	require.Greater(t, sheet.Bounds().Dx(), medium.Width*min(medium.Columns, len(names)+1))
	return names
}

// A voice is nearest to itself in other formats, before any strings.
func TestTheVoiceFindsItself(t *testing.T) {
	names := found(t)
	require.ElementsMatch(t, []string{"silk60.opus", "hybrid.opus", "mono48.mp3", "mpeg2.mp3", "mono.ogg"}, names[:5])
}

func TestSampleFiles(t *testing.T) {
	names := found(t, "-k", "100", filepath.Join("..", "..", "testdata", "media", "audio"))
	require.Greater(t, len(names), 50)
}

func TestSpectrogramsGlowWhereThereIsSound(t *testing.T) {
	files, err := samples()
	require.NoError(t, err)
	for _, file := range files {
		picture, err := spectrogram(file.Content)
		require.NoError(t, err, file.Name)
		brightest := uint32(0)
		for y := range 2 * high {
			red, _, _, _ := picture.At(wide, y).RGBA()
			brightest = max(brightest, red>>8)
		}
		require.Equal(t, file.Name == "silence.flac", brightest < 16, file.Name)
	}
}
