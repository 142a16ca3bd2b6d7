package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// running runs the program and returns its status and what it printed.
func running(ctx context.Context, args ...string) (status int, out, err string) {
	var stdout, stderr bytes.Buffer
	status = run(ctx, args, strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func TestMisuseIsStatusTwoAndOneLine(t *testing.T) {
	for _, args := range [][]string{
		{"nothing"},
		{"--nothing"},
		{"serve", "--nothing"},
		{"serve", "argument"},
		{"serve", "--scalar", "f64"},
		{"serve", "--model", ""},
		{"man", "one", "two"},
	} {
		status, out, err := running(t.Context(), args...)
		require.Equal(t, misused, status, args)
		require.Empty(t, out, args)
		require.Regexp(t, `^uform: [^\n]+\n$`, err, args)
	}
}

func TestFailureIsStatusOneAndOneLine(t *testing.T) {
	status, _, err := running(t.Context(), "serve", "--model", filepath.Join(t.TempDir(), "absent.safetensors"))
	require.Equal(t, failed, status)
	require.Regexp(t, `^uform: load model: [^\n]*absent.safetensors[^\n]*\n$`, err)
}

func TestInterruptedIsStatus130(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted{syscall.SIGINT})
	status, _, err := running(ctx, "serve")
	require.Equal(t, 130, status)
	require.Equal(t, "uform: interrupted\n", err)
}

func TestHelpAndCompletion(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"help", "serve"}, {"--version"}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "powershell"}} {
		status, out, err := running(t.Context(), args...)
		require.Equal(t, succeeded, status, args)
		require.NotEmpty(t, out, args)
		require.Empty(t, err, args)
	}
	_, out, _ := running(t.Context(), "__complete", "serve", "--model", "")
	require.Contains(t, out, "words\nsenses\nmini\n")
}

func TestManualPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	status, out, _ := running(t.Context(), "man")
	require.Equal(t, succeeded, status)
	require.Contains(t, out, `.TH "UFORM" "1" "Nov 2023"`)
	folder := t.TempDir()
	status, out, _ = running(t.Context(), "man", folder)
	require.Equal(t, succeeded, status)
	require.Empty(t, out)
	page, err := os.ReadFile(filepath.Join(folder, "uform-serve.1"))
	require.NoError(t, err)
	require.Contains(t, string(page), "model")
}
