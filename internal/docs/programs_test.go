package docs_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the module's folder.
const root = "../.."

// pages are those whose programs are run.
var pages = []string{"README.md", "docs/guide.md"}

// block is a fenced block of a page.
type block struct {
	line           int
	language, text string
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// blocks returns a page's fenced blocks, in order.
func blocks(t *testing.T, page string) (all []block) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	for _, at := range fence.FindAllSubmatchIndex(content, -1) {
		all = append(all, block{
			line:     1 + bytes.Count(content[:at[0]], []byte("\n")),
			language: string(content[at[2]:at[3]]), text: string(content[at[4]:at[5]]),
		})
	}
	require.NotEmpty(t, all)
	return all
}

func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("every program is compiled and linked: minutes where processors are emulated")
	}
	for _, page := range pages {
		all := blocks(t, page)
		for i, b := range all {
			if b.language != "go" {
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", page, b.line), func(t *testing.T) {
				require.True(t, strings.HasPrefix(b.text, "package main\n"), "a block that is no whole program")
				require.Less(t, i+1, len(all), "a program without its output")
				require.Equal(t, "text", all[i+1].language, "a program without its output")
				path := filepath.Join(t.TempDir(), "main.go")
				require.NoError(t, os.WriteFile(path, []byte(b.text), 0o600))
				require.Equal(t, all[i+1].text, output(t, "go", "run", path))
			})
		}
	}
}

// Commands are those of a clone. Installing is left out: it needs the published module.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("every program is compiled and linked: minutes where processors are emulated")
	}
	for _, page := range pages {
		for _, b := range blocks(t, page) {
			if b.language != "console" || strings.Contains(b.text, "$ go get ") {
				continue
			}
			for _, one := range strings.Split(b.text, "$ ")[1:] {
				command, printed, _ := strings.Cut(one, "\n")
				t.Run(fmt.Sprintf("%s:%d %s", page, b.line, command), func(t *testing.T) {
					require.Equal(t, printed, output(t, "sh", "-c", command))
				})
			}
		}
	}
}

// output runs a command in the module's root and returns its standard output.
func output(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Dir = root
	// The pages show the output of the embedded engine, also where this machine has a shared
	// library.
	command.Env = append(os.Environ(), "UFORM_LIBRARY=embedded")
	var complaints bytes.Buffer
	command.Stderr = &complaints
	printed, err := command.Output()
	require.NoError(t, err, complaints.String())
	return string(printed)
}
