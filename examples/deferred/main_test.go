package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

const told = `endless  is submitted: 20000 texts
quick    is submitted: 32 texts
endless  holds its executor: a second call there is refused as contended
quick    is final: 32 embeddings of 192 columns; progress: complete
endless  is cancelled
endless  is final: uform: encode texts: cancelled: quick finished first; progress: partial
picky    is submitted: 1000 texts
picky    is final: uform: encode texts: cancelled: the handler wants no more; progress: partial
patient  is submitted: 8 texts
patient  has not begun: no goroutine waits for it
patient  is final: 8 embeddings of 192 columns; progress: complete
`

func TestTheStoryIsTheSameEachTime(t *testing.T) {
	for range 5 {
		var stdout, stderr bytes.Buffer
		require.Equal(t, command.Succeeded, run(t.Context(), nil, command.Streams{Out: &stdout, Err: &stderr}), stderr.String())
		require.Equal(t, told, stdout.String())
		require.Equal(t, 1, strings.Count(stderr.String(), "\n"), "nothing but the origin: %s", stderr.String())
	}
}

func TestTextsOfStandardInput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	in := strings.NewReader("one\ntwo\nthree\n")
	status := run(t.Context(), []string{"-"}, command.Streams{In: in, Out: &stdout, Err: &stderr})
	require.Equal(t, command.Succeeded, status, stderr.String())
	require.Contains(t, stdout.String(), "quick    is final: 3 embeddings")
	require.Equal(t, command.Failed, run(t.Context(), []string{"-"}, command.Streams{In: in, Out: &stdout, Err: &stderr}))
	require.Contains(t, stderr.String(), "-: there are no texts\n")
}

func TestProgressIsPrinted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mini.safetensors")
	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	var stdout, stderr bytes.Buffer
	require.Equal(t, command.Succeeded, run(t.Context(), []string{"-progress", "-model", path}, command.Streams{Out: &stdout, Err: &stderr}), stderr.String())
	require.Equal(t, told, stdout.String())

	library, err := uform.Open(nil)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
	require.Equal(t, "deferred: library: "+library.Origin().String(), lines[0])
	report := regexp.MustCompile(`^deferred: (endless|quick|picky|patient): \d+ of (20000|32|1000|8)$`)
	reported := map[string]bool{}
	for _, line := range lines[1:] {
		match := report.FindStringSubmatch(line)
		require.NotNil(t, match, line)
		reported[match[1]] = true
	}
	require.Len(t, reported, 4)
	for _, last := range []string{"quick: 32 of 32", "patient: 8 of 8"} {
		require.Contains(t, stderr.String(), last)
	}
}

// trigger is a standard error that cancels when it is told something.
type trigger struct {
	bytes.Buffer
	word   string
	cancel context.CancelFunc
}

func (w *trigger) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(w.word)) {
		w.cancel()
	}
	return w.Buffer.Write(p)
}

func TestInterrupt(t *testing.T) {
	for _, name := range []string{"endless", "picky"} {
		ctx, cancel := context.WithCancel(t.Context())
		var stdout bytes.Buffer
		stderr := &trigger{word: name + ": ", cancel: cancel}
		require.Equal(t, command.Interrupted, run(ctx, []string{"-progress"}, command.Streams{Out: &stdout, Err: stderr}), stderr.String())
		require.Contains(t, stderr.String(), "deferred: interrupted\n")
		require.True(t, strings.HasPrefix(told, stdout.String()), "the story breaks off, and is true up to there:\n%s", stdout.String())
		require.NotContains(t, stdout.String(), name+strings.Repeat(" ", 9-len(name))+"is final")
		cancel()
	}
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	var stderr bytes.Buffer
	require.Equal(t, command.Failed, run(t.Context(), nil, command.Streams{Out: full{}, Err: &stderr}))
	require.Contains(t, stderr.String(), "deferred: no room\n")
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestFaults(t *testing.T) {
	folder := t.TempDir()
	torn := filepath.Join(folder, "torn")
	require.NoError(t, os.WriteFile(torn, []byte("good\nbad \xff\n"), 0o600))
	for name, test := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"missing model": {[]string{"-model", filepath.Join(t.TempDir(), "absent")}, command.Failed, "absent"},
		"no such file":  {[]string{"x"}, command.Failed, "open x: no such file"},
		"two files":     {[]string{"x", "y"}, command.Misused, "name one file"},
		"unknown flag":  {[]string{"-x"}, command.Misused, "-x"},
		"a folder":      {[]string{folder}, command.Failed, "deferred: " + folder + ": "},
		"not UTF-8":     {[]string{torn}, command.Failed, torn + ":2: the line is not UTF-8: convert it\n"},
		"help":          {[]string{"-h"}, command.Succeeded, "-model"},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, test.status, run(t.Context(), test.args, command.Streams{Out: &stdout, Err: &stderr}), name)
		require.Contains(t, stderr.String(), test.says, name)
		require.Empty(t, stdout.String(), name)
	}
}
