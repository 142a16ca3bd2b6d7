package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// program is the program as a process of its own, in a folder.
func program(t *testing.T, folder string, args ...string) *exec.Cmd {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(executable, args...)
	command.Dir = folder
	command.Env = append(os.Environ(), asProgram+"=1", "UFORM_LIBRARY=embedded")
	return command
}

// done runs the program to its end, which is a success, and returns what it printed.
func done(t *testing.T, folder, in string, args ...string) (out, err string) {
	t.Helper()
	status, out, err := ended(t, folder, in, args...)
	require.Equal(t, succeeded, status, "%v: %s", args, err)
	return out, err
}

// ended runs the program to its end.
func ended(t *testing.T, folder, in string, args ...string) (status int, out, err string) {
	t.Helper()
	command := program(t, folder, args...)
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(in), &stdout, &stderr
	failure := command.Run()
	if command.ProcessState == nil {
		require.NoError(t, failure)
	}
	return command.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// write writes a file of a folder.
func write(t *testing.T, folder, name, content string) {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// read reads a file of a folder.
func read(t *testing.T, folder, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	return string(content)
}

// embedded are the vectors of texts, by the library itself.
func embedded(t *testing.T, texts []string) [][]float32 {
	t.Helper()
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	model, err := words.Load(context.Background(), library, nil)
	require.NoError(t, err)
	defer model.Close()
	vectors, err := model.Embed(t.Context(), texts)
	require.NoError(t, err)
	return vectors
}
