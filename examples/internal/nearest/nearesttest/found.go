package nearesttest

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/examples/internal/nearest"
)

// Found runs the program of a medium and returns the names that it printed, in order. Its contact
// sheet must be wide enough for them.
func Found(t *testing.T, medium *nearest.Medium, args ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sheet.png")
	var stdout, stderr bytes.Buffer
	if code := nearest.Run(t.Context(), medium, append([]string{"-sheet", path}, args...), command.Streams{Out: &stdout, Err: &stderr}); code != 0 {
		t.Fatalf("it ended with %d: %s", code, &stderr)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(stdout.String()) {
		if fields := strings.Fields(line); strings.HasPrefix(line, "  ") {
			names = append(names, fields[1])
		}
	}
	if room := medium.Width * min(medium.Columns, len(names)+1); sheet.Bounds().Dx() <= room {
		t.Fatalf("the sheet is %d pixels wide, and %d names take more than %d", sheet.Bounds().Dx(), len(names), room)
	}
	return names
}
