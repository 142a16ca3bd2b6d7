package nearest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/examples/internal/nearest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/senses"
)

// medium compares squares of one gray.
var medium = &nearest.Medium{
	Name: "images", Does: "Images finds images.", Plural: "images", Encode: uform.On.ImageEncode, Texts: senses.Load, Columns: 3, Width: 40, Height: 40,
	Samples: func() (files []nearest.File, err error) {
		for _, gray := range []uint8{0, 20, 128, 255} {
			files = append(files, nearest.File{Name: fmt.Sprint("gray-", gray), Content: square(gray)})
		}
		return files, nil
	},
	Look: func(content []byte) (image.Image, error) { return png.Decode(bytes.NewReader(content)) },
}

func square(gray uint8) []byte {
	picture := image.NewGray(image.Rect(0, 0, 8, 8))
	for i := range picture.Pix {
		picture.Pix[i] = gray
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		panic(err)
	}
	return file.Bytes()
}

// run runs the program with its sheet in a folder of the test.
func run(t *testing.T, args ...string) (status int, stdout, stderr string, sheet image.Image) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sheet.png")
	var out, errs bytes.Buffer
	status = nearest.Run(t.Context(), medium, append([]string{"-sheet", path}, args...), command.Streams{Out: &out, Err: &errs})
	if file, err := os.Open(path); err == nil {
		defer file.Close()
		sheet, err = png.Decode(file)
		require.NoError(t, err)
	}
	return status, out.String(), errs.String(), sheet
}

func Example() {
	var found bytes.Buffer
	nearest.Run(context.Background(), medium, []string{"-sheet", os.DevNull, "-query", "gray-0", "-k", "2"}, command.Streams{Out: &found, Err: io.Discard})
	for line := range strings.Lines(found.String()) {
		if name := strings.Fields(line)[1]; strings.HasPrefix(name, "gray") {
			fmt.Println(name)
		}
	}
	// Output:
	// gray-20
	// gray-128
}

func TestNearestAreInOrder(t *testing.T) {
	status, stdout, stderr, sheet := run(t, "-query", "gray-0")
	require.Zero(t, status, stderr)
	lines := strings.Split(stdout, "\n")
	require.Equal(t, "nearest to gray-0", lines[0])
	for i, want := range []string{"gray-20", "gray-128", "gray-255"} {
		require.True(t, strings.HasSuffix(lines[i+1], want), stdout)
	}
	require.NotNil(t, sheet)
	require.NotContains(t, stderr, "[", "no bar where nobody looks")
}

func TestProgressWhereAskedFor(t *testing.T) {
	status, _, stderr, _ := run(t, "-progress")
	require.Zero(t, status)
	require.Contains(t, stderr, "[##############################] 4 of 4 images\n")
}

func TestFoldersAndFilesThatAreNone(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "inner"), 0o700))
	for name, content := range map[string][]byte{
		"a.txt": []byte("no image"), "b": square(3), "inner/c.jpg": square(5), "d.png": square(200)[:50], "e.png": square(250), "f.png": nil,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), content, 0o600))
	}
	status, stdout, stderr, sheet := run(t, "-query", "inner/c.jpg", folder)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "b\n")
	require.NotContains(t, stdout, "a.txt")
	require.Contains(t, stderr, "left out a.txt: not an image file")
	require.Contains(t, stderr, "left out f.png: the file is empty\n")
	require.Contains(t, stderr, "left out d.png: ")
	require.NotNil(t, sheet)
}

func TestAFileOfStandardInput(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "dark.png"), square(9), 0o600))
	var stdout, stderr bytes.Buffer
	status := nearest.Run(t.Context(), medium, []string{"-sheet", os.DevNull, "-query", "-", "-", folder},
		command.Streams{In: bytes.NewReader(square(3)), Out: &stdout, Err: &stderr})
	require.Zero(t, status, stderr.String())
	require.Contains(t, stdout.String(), "nearest to -\n")
	require.Contains(t, stdout.String(), "dark.png\n")
}

func TestTexts(t *testing.T) {
	status, stdout, stderr, sheet := run(t, "-text", "a gray square", "-k", "2")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "nearest to “a gray square”\n")
	require.Equal(t, 4, strings.Count(stdout, "\n"))
	require.Contains(t, stderr, "package senses knows")
	require.NotNil(t, sheet)
}

func TestATextNeedsATrainedModel(t *testing.T) {
	untrained := *medium
	untrained.Texts = nil
	var stdout, stderr bytes.Buffer
	status := nearest.Run(t.Context(), &untrained, []string{"-text", "a cat"}, command.Streams{Out: &stdout, Err: &stderr})
	require.Equal(t, command.Failed, status)
	require.Empty(t, stdout.String())
	require.Contains(t, stderr.String(), "name a trained one with -model")
}

func TestMistakes(t *testing.T) {
	for name, mistake := range map[string]struct {
		status int
		says   string
		args   []string
	}{
		"an unknown flag":    {2, "not defined", []string{"-none"}},
		"no number":          {2, "use a number from 1", []string{"-k", "0"}},
		"both queries":       {2, "not both", []string{"-query", "x", "-text", "y"}},
		"no such query":      {1, `there is no file "x" among those that were encoded, which are named as in their folder, such as "gray-0"`, []string{"-query", "x"}},
		"no such folder":     {1, "no such file", []string{"/none/of/this"}},
		"no such checkpoint": {1, "io", []string{"-model", "/none/of/this"}},
		"an empty folder":    {1, "there are no files", []string{t.TempDir()}},
		"one file":           {1, "there is nothing to compare with", []string{oneFile(t)}},
		"no image":           {1, "none of the files can be encoded", []string{"program_test.go"}},
		"an empty text":      {2, "not both", []string{"-query", "x", "-text", ""}},
	} {
		status, _, stderr, sheet := run(t, mistake.args...)
		require.Equal(t, mistake.status, status, name)
		require.Contains(t, stderr, mistake.says, name)
		require.Nil(t, sheet, name)
	}
	status, _, stderr, _ := run(t, "-h")
	require.Zero(t, status)
	require.True(t, strings.HasPrefix(stderr, medium.Does+"\n"))
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	for after := range 2 {
		var stderr bytes.Buffer
		status := nearest.Run(t.Context(), medium, []string{"-sheet", os.DevNull}, command.Streams{Out: &full{after}, Err: &stderr})
		require.Equal(t, 1, status)
		require.Contains(t, stderr.String(), "images: no room\n")
	}
}

// full is a writer that fails after some writes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errors.New("no room")
	}
	return len(p), nil
}

func oneFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "one.png")
	require.NoError(t, os.WriteFile(path, square(9), 0o600))
	return path
}
