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

// A scene of the gallery is nearest to its own variants, by colours and shapes alone.
func TestScenesFindTheirVariants(t *testing.T) {
	for _, scene := range scenes[2:4] {
		for _, name := range found(t, "-query", scene.name+"-1.jpg", "-k", "3") {
			require.True(t, strings.HasPrefix(name, scene.name), "%s found %s", scene.name, name)
		}
	}
}

// Files of all formats look the same.
func TestSampleFiles(t *testing.T) {
	names := found(t, "-k", "100", filepath.Join("..", "..", "testdata", "media", "images"))
	require.Greater(t, len(names), 60)
}
