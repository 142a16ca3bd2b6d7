package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/internal/mpi/mpitest"
	"github.com/unum-cloud/uform-go/uform"
)

func TestMain(m *testing.M) {
	if os.Getenv("UFORM_TEST_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

// Four processes learn what one does, and one of them tells of it.
func TestProcesses(t *testing.T) {
	arguments := []string{"-steps", "12", "", filepath.Join(t.TempDir(), "own.safetensors")}
	want, _ := program(t, t.Context(), command.Succeeded, arguments...)
	mpitest.Each(t, func(t *testing.T, launcher mpitest.Launcher) {
		said, err := launcher.Run(t, 4, []string{"UFORM_TEST_PROGRAM=1"}, append([]string{"--", os.Args[0]}, arguments...)...)
		require.NoError(t, err, said)
		for line := range strings.Lines(want) {
			require.Equal(t, 1, strings.Count(said, line), "%q, which one process says:\n%s", line, said)
		}
	})
}

// program runs the program, and returns what it wrote.
func program(t *testing.T, ctx context.Context, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, faults bytes.Buffer
	require.Equal(t, status, run(ctx, args, command.Streams{Out: &out, Err: &faults}), faults.String())
	return out.String(), faults.String()
}

func shares(t *testing.T, out, when string) (first, tenth float64) {
	t.Helper()
	found := regexp.MustCompile(when + ` +the partner comes first for +([0-9.]+) %, among the first ten of [0-9]+ for +([0-9.]+) %`).FindStringSubmatch(out)
	require.Len(t, found, 3, out)
	first, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	tenth, err = strconv.ParseFloat(found[2], 64)
	require.NoError(t, err)
	return first, tenth
}

// What it learns of its own sentences serves those that it has not seen, and what it writes is what
// it says.
func TestLearnsPhrases(t *testing.T) {
	out := filepath.Join(t.TempDir(), "own.safetensors")
	file := filepath.Join(t.TempDir(), "pairs.tsv")
	var lines strings.Builder
	for _, p := range phrases() {
		lines.WriteString(p.left + "\t" + p.right + "\n")
	}
	require.NoError(t, os.WriteFile(file, []byte(lines.String()), 0o600))
	stdout, stderr := program(t, t.Context(), command.Succeeded, "-steps", "60", file, out)
	require.Contains(t, stdout, "810 pairs to learn from, 90 held out")
	require.Contains(t, stderr, "step 60 of 60")
	first, tenth := shares(t, stdout, "before")
	require.Less(t, tenth, 20.0)
	after, afterTenth := shares(t, stdout, "after")
	require.Greater(t, after, first+25)
	require.Greater(t, afterTenth, 60.0)

	library, err := uform.Open(nil)
	require.NoError(t, err)
	model, err := library.Load(t.Context(), out, nil)
	require.NoError(t, err)
	require.NoError(t, model.Close())
	drawn, err := os.ReadFile(strings.TrimSuffix(out, ".safetensors") + ".svg")
	require.NoError(t, err)
	require.Len(t, regexp.MustCompile(`[0-9.]+,[0-9.]+ `).FindAllString(string(drawn), -1), 60, "a point a step")
	decoder := xml.NewDecoder(bytes.NewReader(drawn))
	for err = nil; err == nil; {
		_, err = decoder.Token()
	}
	require.ErrorIs(t, err, io.EOF)

	// It goes on from what it wrote.
	stdout, _ = program(t, t.Context(), command.Succeeded, "-steps", "5", "-model", out, file, out)
	again, _ := shares(t, stdout, "before")
	require.Equal(t, after, again)
}

func TestRefusals(t *testing.T) {
	folder := t.TempDir()
	file := func(content string) string {
		path := filepath.Join(folder, "pairs.tsv")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	enough := filepath.Join(folder, "enough.tsv")
	require.NoError(t, os.WriteFile(enough, []byte("a\tb\nc\td\ne\tf\ng\th\n"), 0o600))
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"no tab":      {[]string{file("a\tb\nc\n")}, ":2: the line is not two texts"},
		"nothing":     {[]string{filepath.Join(folder, "nothing")}, "no such file"},
		"no model":    {[]string{"-model", filepath.Join(folder, "nothing")}, "no such file"},
		"bad model":   {[]string{"-model", enough}, "enough.tsv: uform: load model: malformed"},
		"no steps":    {[]string{"-steps", "0"}, "at least one step"},
		"three names": {[]string{"a", "b", "c"}, "not more"},
		"no folder":   {[]string{"", filepath.Join(folder, "none", "out")}, "no such file"},
		"a folder":    {[]string{"", folder}, "is a folder: name a file"},
		"its input":   {[]string{enough, enough}, "would replace"},
	} {
		t.Run(name, func(t *testing.T) {
			status := command.Failed
			if name == "no steps" || name == "three names" {
				status = command.Misused
			}
			if name == "no tab" {
				file("a\tb\nc\n")
			}
			_, stderr := program(t, t.Context(), status, test.args...)
			require.Contains(t, stderr, test.says)
		})
	}
	for content, says := range map[string]string{
		"a\tb\nc\td\n\xff\te\n": ":3: the line is not UTF-8",
		"a\tb\n\tc\n":           ":2: the line lacks a text",
		"a\tb\tc\n":             ":1: the line is not two texts",
		"a\tb\nc\td\r\n\ne\tf":  "3 pairs are too few",
	} {
		_, stderr := program(t, t.Context(), command.Failed, file(content))
		require.Contains(t, stderr, says)
	}
}

// An interrupt keeps what was learned.
func TestInterrupted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "own.safetensors")
	ctx, cancel := context.WithCancelCause(t.Context())
	cut := writer(func(p []byte) (int, error) {
		if bytes.Contains(p, []byte("step 1 of")) {
			cancel(errors.New("enough"))
		}
		return len(p), nil
	})
	var stdout bytes.Buffer
	require.Equal(t, command.Interrupted, run(ctx, []string{"-steps", "100000", "", out}, command.Streams{Out: &stdout, Err: cut}))
	require.FileExists(t, out)
	shares(t, stdout.String(), "after")
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestGroups(t *testing.T) {
	require.Equal(t, []uint32{0, 1, 0, 1, 4}, groups([]pair{{"a", "b"}, {"c", "d"}, {"a", "e"}, {"f", "d"}, {"b", "a"}}))
}

func TestRank(t *testing.T) {
	there := [][]float32{{1, 0}, {0, 1}, {0.6, 0.8}}
	require.Zero(t, rankOf([]float32{0, 1}, there, 1))
	require.Equal(t, 1, rankOf([]float32{0, 1}, there, 2))
	require.Equal(t, 2, rankOf([]float32{0, 1}, there, 0))
}

// The rate rises, then falls, and is never zero, which would be the run's own.
func TestRates(t *testing.T) {
	p := plan{steps: 50, rate: 0.01}
	require.InDelta(t, 0.002, p.rateOf(0), 1e-9)
	require.InDelta(t, 0.01, p.rateOf(4), 1e-9)
	for step := 5; step < 50; step++ {
		require.Positive(t, p.rateOf(step))
		require.LessOrEqual(t, p.rateOf(step), p.rateOf(step-1))
	}
}
