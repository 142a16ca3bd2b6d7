package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/nearest/nearesttest"
)

// Motion JPEG and the keys of VP8 need no FFmpeg, and show the same picture.
func TestTheSamePictureIsNear(t *testing.T) {
	names := nearesttest.Found(t, medium)
	require.Contains(t, names, "vp8-keys.webm")
	for i, name := range names {
		// What is turned comes last.
		require.Equal(t, i >= len(names)-3 && len(names) > 3, strings.HasPrefix(name, "rotated"), name)
	}
}

func TestStripsShowFourFrames(t *testing.T) {
	files, err := samples()
	require.NoError(t, err)
	picture, err := strip(files[0].Content)
	require.NoError(t, err)
	for frame := range frames {
		red, green, _, _ := picture.At(frame*(width+apart)+3, height/2).RGBA()
		require.Greater(t, red, 2*green, "the picture's left is red")
	}
}
