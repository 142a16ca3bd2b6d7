package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

var shape = regexp.MustCompile(`^\{'descr': '<f4', 'fortran_order': False, 'shape': \((\d+), (\d+)\), \} *\n$`)

// parsedArray reads a file as NumPy's format description has it.
func parsedArray(t *testing.T, file []byte) [][]float32 {
	t.Helper()
	require.True(t, bytes.HasPrefix(file, []byte("\x93NUMPY\x01\x00")), "%.20q", file)
	body := 10 + int(binary.LittleEndian.Uint16(file[8:]))
	require.Zero(t, body%64)
	sizes := shape.FindSubmatch(file[10:body])
	require.NotNil(t, sizes, "%q", file[10:body])
	rows, err := strconv.Atoi(string(sizes[1]))
	require.NoError(t, err)
	columns, err := strconv.Atoi(string(sizes[2]))
	require.NoError(t, err)
	require.Len(t, file, body+4*rows*columns)
	vectors := make([][]float32, rows)
	for i := range vectors {
		for j := range columns {
			bits := binary.LittleEndian.Uint32(file[body+4*(i*columns+j):])
			vectors[i] = append(vectors[i], math.Float32frombits(bits))
		}
	}
	return vectors
}

func TestHeaderHasRoomForAnyShape(t *testing.T) {
	require.Len(t, header(0, 0), headerBytes)
	require.Len(t, header(math.MaxInt64, math.MaxInt32), headerBytes)
	require.Equal(t, byte('\n'), header(1, 1)[headerBytes-1])
}

// TestArrayInto writes the same vectors into every kind of output.
func TestArrayInto(t *testing.T) {
	path := small(t)
	input := strings.Repeat("one\ntwo\nthree\n", 100)
	want := succeeds(t, input, "-model", path, "-format", "npy") // a buffer in memory
	require.Len(t, parsedArray(t, []byte(want)), 300)
	args := []string{"-model", path, "-format", "npy", "-batch", "7"}

	into := func(t *testing.T, flags int, before string) string {
		name := filepath.Join(t.TempDir(), "out.npy")
		require.NoError(t, os.WriteFile(name, []byte(before), 0o600))
		file, err := os.OpenFile(name, flags, 0)
		require.NoError(t, err)
		defer file.Close()
		_, err = file.Seek(0, io.SeekEnd)
		require.NoError(t, err)
		var stderr bytes.Buffer
		require.Equal(t, command.Succeeded, run(t.Context(), args, command.Streams{In: strings.NewReader(input), Out: file, Err: &stderr}), stderr.String())
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(content)
	}
	t.Run("a file", func(t *testing.T) {
		require.Equal(t, want, into(t, os.O_RDWR, ""))
	})
	t.Run("a file that is written to already", func(t *testing.T) {
		require.Equal(t, "before"+want, into(t, os.O_RDWR, "before"))
	})
	t.Run("a file opened for appending", func(t *testing.T) {
		require.Equal(t, "before"+want, into(t, os.O_WRONLY|os.O_APPEND, "before"))
	})
	t.Run("a pipe", func(t *testing.T) {
		reading, writing, err := os.Pipe()
		require.NoError(t, err)
		defer reading.Close()
		got := make(chan []byte)
		go func() {
			content, _ := io.ReadAll(reading)
			got <- content
		}()
		var stderr bytes.Buffer
		status := run(t.Context(), args, command.Streams{In: strings.NewReader(input), Out: writing, Err: &stderr})
		require.NoError(t, writing.Close())
		require.Equal(t, want, string(<-got))
		require.Equal(t, command.Succeeded, status, stderr.String())
	})
}

func TestNoTemporaryFileIsLeft(t *testing.T) {
	path, folder := small(t), t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder)
	succeeds(t, "one\n", "-model", path, "-format", "npy")
	require.Equal(t, command.Failed, encode(t, "\xff", "-model", path, "-format", "npy").status)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)

	t.Setenv("TMPDIR", filepath.Join(folder, "absent"))
	t.Setenv("TMP", filepath.Join(folder, "absent"))
	require.Equal(t, command.Failed, encode(t, "one\n", "-model", path, "-format", "npy").status, "there the rows would wait")
}
