package main

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/stretchr/testify/require"
)

// found is a line that was read. Of one that is too long there is no text.
type found struct {
	offset  int64
	text    string
	tooLong bool
}

// expected are the lines of a file, without the reader.
func expected(content []byte) (all []found) {
	for offset := 0; offset < len(content); {
		line := content[offset:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if len(line) > longest {
			all = append(all, found{offset: int64(offset), tooLong: true})
		} else {
			all = append(all, found{offset: int64(offset), text: text})
		}
		offset += len(line)
	}
	return all
}

// read reads a file by parts of size bytes.
func read(t *testing.T, content []byte, size int64) (all []found) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "lines.txt")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	split := &splitFn{Bytes: size}
	split.ProcessElement(fileio.FileMetadata{Path: name, Size: int64(len(content))}, func(p part) {
		lines, err := p.open(t.Context())
		require.NoError(t, err)
		for {
			text, offset, err := lines.next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.True(t, err == nil || errors.Is(err, errTooLong), err)
			require.True(t, p.Start <= offset && offset < p.End, "line at %d of part %v", offset, p)
			all = append(all, found{offset, string(text), err != nil})
		}
		require.NoError(t, lines.close())
	})
	return all
}

// Whatever the parts are, each line is read once, with its place.
func TestEveryLineIsInOnePart(t *testing.T) {
	for name, content := range map[string]string{
		"empty":                  "",
		"one":                    "one",
		"ended":                  "one\ntwo\n",
		"not ended":              "one\ntwo",
		"empty lines":            "\n\n\na\n\n",
		"CR LF":                  "one\r\ntwo\r\n\r\nlone\rCR\r",
		"not UTF-8":              "one\n\xff\xfe\nthree",
		"longer than the buffer": strings.Repeat("a", 100_000) + "\nb\n" + strings.Repeat("c", 65536) + "\n" + strings.Repeat("d", 65535) + "\nend",
		"as long as it may be":   "a\n" + strings.Repeat("b", longest-1) + "\nc\n",
		"too long":               "a\n" + strings.Repeat("b", longest) + "\nc\n" + strings.Repeat("d", 3*longest),
	} {
		t.Run(name, func(t *testing.T) {
			want := expected([]byte(content))
			for _, size := range []int64{1, 2, 3, 5, 7, 1000, 65536, 1 << 30} {
				if size < 1000 && len(content) > 1000 {
					continue
				}
				require.Equal(t, want, read(t, []byte(content), size), "parts of %d bytes", size)
			}
		})
	}
}

// It is no fuzz target, as that would compile all of Beam once more, instrumented.
func TestRandomFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 4))
	for range 2000 {
		content := make([]byte, random.IntN(60))
		for i := range content {
			content[i] = "ab\xff\r\n\n"[random.IntN(6)]
		}
		size := 1 + random.Int64N(20)
		require.Equal(t, expected(content), read(t, content, size), "%q in parts of %d bytes", content, size)
	}
}

// Files with the same name in different folders, and parts of a file, are written apart; the same
// part has the same name again.
func TestNamesOfParts(t *testing.T) {
	p := part{"gs://a/lines.txt", 0, 10}
	require.Equal(t, p.name(), part{"gs://a/lines.txt", 0, 10}.name())
	require.NotEqual(t, p.name(), part{"gs://b/lines.txt", 0, 10}.name())
	require.NotEqual(t, p.name(), part{"gs://a/lines.txt", 10, 20}.name())
}
