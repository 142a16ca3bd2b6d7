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

// Motion JPEG and the keys of VP8 need no FFmpeg, and show the same picture.
func TestTheSamePictureIsNear(t *testing.T) {
	names := found(t)
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
