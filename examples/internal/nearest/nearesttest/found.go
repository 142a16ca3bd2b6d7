package nearesttest

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

// Found runs the program of a medium and answers the names that it printed, in order. Its contact sheet must have room for them.
func Found(t *testing.T, medium *nearest.Medium, args ...string) []string {
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
