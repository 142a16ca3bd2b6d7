package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/nearest/nearesttest"
)

// A voice is nearest to itself in other formats, before any strings.
func TestTheVoiceFindsItself(t *testing.T) {
	names := nearesttest.Found(t, medium)
	require.ElementsMatch(t, []string{"silk60.opus", "hybrid.opus", "mono48.mp3", "mpeg2.mp3", "mono.ogg"}, names[:5])
}

func TestSampleFiles(t *testing.T) {
	names := nearesttest.Found(t, medium, "-k", "100", filepath.Join("..", "..", "testdata", "media", "audio"))
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
