package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/nearest/nearesttest"
)

// A scene of the gallery is nearest to its own variants, by colours and shapes alone.
func TestScenesFindTheirVariants(t *testing.T) {
	for _, scene := range scenes[2:4] {
		for _, name := range nearesttest.Found(t, medium, "-query", scene.name+"-1.jpg", "-k", "3") {
			require.True(t, strings.HasPrefix(name, scene.name), "%s found %s", scene.name, name)
		}
	}
}

// Files of all formats look the same.
func TestSampleFiles(t *testing.T) {
	names := nearesttest.Found(t, medium, "-k", "100", filepath.Join("..", "..", "testdata", "media", "images"))
	require.Greater(t, len(names), 60)
}
