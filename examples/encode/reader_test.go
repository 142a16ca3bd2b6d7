package main

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// readLines reads text in bits of 16 bytes, and returns what was kept of its lines and what the
// reading ended with.
func readLines(text string, context int, lossy bool) (lines []string, lost int, err error) {
	r := &reader{
		inputs: []input{{name: "text", open: func() (io.ReadCloser, error) {
			return io.NopCloser(iotest.OneByteReader(strings.NewReader(text))), nil
		}}},
		context: context, lossy: lossy, most: 3, stream: bufio.NewReaderSize(nil, 16),
	}
	for b := new(batch); ; {
		r.fill(b)
		for i := range b.texts.Len() {
			lines = append(lines, string(b.texts.Data[b.texts.Offsets[i]:b.texts.Offsets[i+1]]))
		}
		lost += b.lost
		if b.err != nil {
			return lines, lost, b.err
		}
	}
}

// splitLines returns the same, of a text that is in memory.
func splitLines(text string, context int, lossy bool) (lines []string, lost int, valid bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if !utf8.ValidString(line) {
			if !lossy {
				return lines, lost, false
			}
			line = string([]rune(line))
		}
		kept := line
		for at := range line {
			if at >= context {
				kept = line[:at]
				break
			}
		}
		lines = append(lines, kept)
		lost += max(len(line)-context, 0)
	}
	return lines, lost, true
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "\r", "\r\n", "\n\n", "a", "a\n", "a\r\nb", "a\r\rb\r",
		"0123456789abcde\r\nnext", "0123456789abcdef\r\nnext", "0123456789abcdef\r",
		"0123456789abcd€\n", "0123456789abcdef€€€€€€€€€€\n", "\xff", "ok\n\xe2\x82", "\xf0\x9f\x99\x82\xf0",
		"0123456789abcd\xe2\x82\n", "0123456789abcd\xe2\x82", "0123456789abcd\xf0\x9f\x99\r\n",
	} {
		for _, context := range []byte{1, 3, 16, 40} {
			f.Add(seed, context, false)
			f.Add(seed, context, true)
		}
	}
	f.Fuzz(func(t *testing.T, text string, bytes byte, lossy bool) {
		context := max(int(bytes), 1)
		want, wantLost, valid := splitLines(text, context, lossy)
		got, lost, err := readLines(text, context, lossy)
		require.Equal(t, want, got)
		require.Equal(t, wantLost, lost)
		if valid {
			require.ErrorIs(t, err, io.EOF)
			return
		}
		require.ErrorIs(t, err, errNotUTF8)
	})
}

func TestReaderEndsABatchWhereItWouldBlock(t *testing.T) {
	reading, writing := io.Pipe()
	defer writing.Close()
	r := &reader{
		inputs:  []input{{name: "pipe", open: func() (io.ReadCloser, error) { return reading, nil }}},
		context: 100, most: 1000,
	}
	go func() { _, _ = writing.Write([]byte("one\ntwo\n")) }()
	b := new(batch)
	r.fill(b)
	require.NoError(t, b.err)
	require.Equal(t, 2, b.texts.Len())
	require.EqualValues(t, 8, b.to)
}

func TestReaderNamesWhatFailed(t *testing.T) {
	errTorn := errors.New("the cable is out")
	torn := func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("one\ntwo\nthr"), iotest.ErrReader(errTorn))), nil
	}
	r := &reader{inputs: []input{{name: "tape 7", open: torn}}, context: 100, most: 1000}
	b := new(batch)
	r.fill(b)
	require.ErrorIs(t, b.err, errTorn)
	require.ErrorContains(t, b.err, "tape 7:3: ")
	require.Equal(t, 2, b.texts.Len(), "the half line is no line")
}
