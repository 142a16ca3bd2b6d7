package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var consoles = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// The commands of docs/command.md, in one folder and in their order, print what stands below them.
// An ellipsis there is any text.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/command.md")
	require.NoError(t, err)
	corpus, err := os.ReadFile("../../examples/search/corpus.txt")
	require.NoError(t, err)
	folder := t.TempDir()
	write(t, folder, "lines.txt", string(corpus))
	write(t, folder, "pairs.tsv", sentences(120))
	executable, err := os.Executable()
	require.NoError(t, err)
	bin := t.TempDir()
	script := "#!/bin/sh\n" + asProgram + "=1 exec '" + executable + "' \"$@\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "uform"), []byte(script), 0o700))
	count := 0
	for _, console := range consoles.FindAllStringSubmatch(string(page), -1) {
		for _, one := range strings.Split("\n"+console[1], "\n$ ")[1:] {
			line, printed, _ := strings.Cut(strings.TrimSuffix(one, "\n")+"\n", "\n")
			command := exec.Command("sh", "-c", line)
			command.Dir = folder
			command.Env = append(os.Environ(), "UFORM_LIBRARY=embedded", "PATH="+bin+":"+os.Getenv("PATH"))
			var both bytes.Buffer
			command.Stdout, command.Stderr = &both, &both
			_ = command.Run() // some commands of the page fail
			pattern := strings.ReplaceAll(regexp.QuoteMeta(printed), "…", ".*")
			require.Regexp(t, "^"+pattern+"$", both.String(), line)
			count++
		}
	}
	require.Greater(t, count, 12)
}

// Every command says what it does, and shows an example.
func TestCommandsHaveExamples(t *testing.T) {
	root := newRoot()
	for _, command := range root.Commands() {
		if name := command.Name(); name == "completion" || name == "help" {
			continue
		}
		all := append(command.Commands(), command)
		for _, one := range all {
			require.NotEmpty(t, one.Short, one.CommandPath())
			require.Contains(t, one.Example, "uform "+strings.TrimPrefix(one.CommandPath(), "uform "), one.CommandPath())
		}
	}
}
