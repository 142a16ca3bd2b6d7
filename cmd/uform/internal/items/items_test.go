package items_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/items"
	"github.com/unum-cloud/uform-go/uform"
)

// write writes a file of a folder, and returns its path.
func write(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// all reads everything from a position on, and returns a line for each item, and the positions
// behind batches.
func all(t *testing.T, sources []items.Source, unit items.Unit, standard string, at items.Position) (lines []string, after []items.Position) {
	t.Helper()
	reader, err := items.NewReader(sources, unit, strings.NewReader(standard), at)
	require.NoError(t, err)
	defer reader.Close()
	for {
		batch, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return lines, after
		}
		require.NoError(t, err)
		require.NotEmpty(t, batch.Items)
		for _, item := range batch.Items {
			require.Equal(t, batch.Modality, item.Modality)
			said := string(item.Content)
			if item.Fault != nil {
				said = item.Fault.Error()
			}
			lines = append(lines, fmt.Sprintf("%s %v %.60s", filepath.Base(item.Name), item.Modality, said))
		}
		after = append(after, batch.After)
	}
}

const png = "\x89PNG\r\n\x1A\nrest"

func TestUnits(t *testing.T) {
	folder := t.TempDir()
	text := write(t, folder, "a.txt", "one\r\n\ntwo")
	inside := filepath.Join(folder, "in")
	write(t, inside, "b.txt", "three\nfour\n")
	write(t, inside, "c/d.png", png)
	write(t, inside, "c/e.bin", "\xff\x00")
	write(t, inside, ".hidden", "no")
	write(t, inside, ".git/config", "no")
	picture := write(t, folder, "f.txt", png) // the name says nothing
	for unit, want := range map[items.Unit][]string{
		items.Auto: {
			"a.txt:1 text one", "a.txt:2 text ", "a.txt:3 text two", "b.txt text three\nfour\n", "d.png image " + png,
			"e.bin text the file is no text in UTF-8, and no picture, video or recor", "f.txt image " + png,
		},
		items.Lines: {
			"a.txt:1 text one", "a.txt:2 text ", "a.txt:3 text two", "b.txt:1 text three", "b.txt:2 text four", "d.png image " + png,
			"e.bin:1 text the line is not UTF-8", "f.txt image " + png,
		},
		items.Files: {
			"a.txt text one\r\n\ntwo", "b.txt text three\nfour\n", "d.png image " + png,
			"e.bin text the file is no text in UTF-8, and no picture, video or recor", "f.txt image " + png,
		},
	} {
		sources, err := items.List([]string{text, inside, picture})
		require.NoError(t, err)
		lines, _ := all(t, sources, unit, "", items.Position{})
		require.Equal(t, want, lines, unit)
	}
}

// A reading that stops behind any batch continues there, as if it had not stopped.
func TestContinuing(t *testing.T) {
	folder := t.TempDir()
	var long strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&long, "line %d %s\n", i, strings.Repeat("x", i))
	}
	paths := []string{
		write(t, folder, "a.txt", long.String()), write(t, folder, "b.png", png), write(t, folder, "c.txt", "end"),
		"-", write(t, folder, "d.txt", ""), write(t, folder, "e.txt", "\n"), write(t, folder, "f.wav", "RIFF....WAVE"),
	}
	sources, err := items.List(paths)
	require.NoError(t, err)
	standard := long.String()
	whole, after := all(t, sources, items.Auto, standard, items.Position{})
	require.Len(t, whole, 2004)
	require.Greater(t, len(after), 8)
	for _, at := range after {
		rest, _ := all(t, sources, items.Auto, standard, at)
		require.Equal(t, strings.Join(whole[len(whole)-len(rest):], "\n"), strings.Join(rest, "\n"), at)
	}
	// Together, the last positions lead to the end.
	rest, _ := all(t, sources, items.Auto, standard, after[len(after)-1])
	require.Empty(t, rest)
	reader, err := items.NewReader(sources, items.Auto, strings.NewReader("short"), items.Position{Source: 3, Offset: 10})
	require.NoError(t, err)
	_, err = reader.Next()
	require.ErrorContains(t, err, "standard input ends at byte 5, and the reading was interrupted at byte 10")
}

func TestBlankLines(t *testing.T) {
	reader, err := items.NewReader([]items.Source{{Path: "-", Size: -1}}, items.Lines, strings.NewReader("\n a\n \t\r\n\xff\nb"), items.Position{})
	require.NoError(t, err)
	reader.SkipBlank = true
	batch, err := reader.Next()
	require.NoError(t, err)
	require.Len(t, batch.Items, 3)
	require.Equal(t, "standard input:2", batch.Items[0].Name)
	require.Error(t, batch.Items[1].Fault)
	require.Equal(t, "standard input:5", batch.Items[2].Name)
}

func TestALineThatIsTooLong(t *testing.T) {
	text := strings.Repeat("x", items.LargestLine) + "\n" + strings.Repeat("x", items.LargestLine+1) + "\nlast"
	reader, err := items.NewReader([]items.Source{{Path: "-", Size: -1}}, items.Lines, strings.NewReader(text), items.Position{})
	require.NoError(t, err)
	var faults []bool
	for {
		batch, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		for _, item := range batch.Items {
			faults = append(faults, item.Fault != nil)
		}
	}
	require.Equal(t, []bool{false, true, false}, faults)
}

func TestListRefuses(t *testing.T) {
	_, err := items.List([]string{filepath.Join(t.TempDir(), "none")})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = items.List([]string{t.TempDir()})
	require.ErrorContains(t, err, "there is no file in the folder")
	_, err = items.List([]string{"-", "-"})
	require.ErrorContains(t, err, "twice")
}

func TestIdentityChangesWithAFile(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "a", "one")
	before, err := items.List([]string{folder})
	require.NoError(t, err)
	write(t, folder, "a", "three")
	after, err := items.List([]string{folder})
	require.NoError(t, err)
	require.NotEqual(t, items.Identity(before), items.Identity(after))
	require.EqualValues(t, 5, items.Total(after))
}

func TestSniff(t *testing.T) {
	for head, want := range map[string]uform.Modality{
		"":                            uform.Text,
		"hello":                       uform.Text,
		"ID3 is a tag":                uform.Text,
		"\xff\xfea\x00":               uform.Text, // UTF-16
		"RIFF....text":                uform.Text,
		"\xff\xd8\xff\xe0":            uform.Image,
		png:                           uform.Image,
		"RIFF....WEBP":                uform.Image,
		"....ftypisom":                uform.Video,
		"\x1a\x45\xdf\xa3":            uform.Video,
		"RIFF....WAVE":                uform.Audio,
		"RF64....WAVE":                uform.Audio,
		"fLaC":                        uform.Audio,
		"OggS":                        uform.Audio,
		"ID3\x04\x00":                 uform.Audio,
		"\xff\xfb\x90\x64":            uform.Audio,
		"\xff\xfb\xf0\x64":            uform.Text, // no such bit rate
		"\xff\xfb":                    uform.Text,
		strings.Repeat("RIFF", 2)[:6]: uform.Text,
	} {
		require.Equal(t, want, items.Sniff([]byte(head)), "%q", head)
	}
}
