package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

// A disk that is full ends the program with an error, in every format, and never with success.
func TestAFullDisk(t *testing.T) {
	for _, format := range []string{"tsv", "jsonl", "npy"} {
		t.Run(format, func(t *testing.T) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			require.NoError(t, err)
			defer full.Close()
			var stderr bytes.Buffer
			status := run(t.Context(), []string{"-format", format}, command.Streams{In: strings.NewReader(strings.Repeat("a line\n", 3000)), Out: full, Err: &stderr})
			require.Equal(t, command.Failed, status)
			require.Contains(t, stderr.String(), "no space left on device")
		})
	}
}
