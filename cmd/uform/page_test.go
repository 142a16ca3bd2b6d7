package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommandsOfThePage runs the commands of docs/server.md, and compares what they print. With
// UFORM_WRITE_PAGE it writes the page anew.
func TestCommandsOfThePage(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl here")
	}
	const page = "../../docs/server.md"
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	p := start(t, []string{keyVariable + "="}, "--model", "words", "--model", "senses", "--index", "../../examples/search/corpus.txt")
	commands := 0
	console := regexp.MustCompile("(?ms)^```console\n(.*?)^```$")
	written := console.ReplaceAllStringFunc(string(content), func(block string) string {
		var again strings.Builder
		again.WriteString("```console\n")
		for _, one := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(block, "```console\n"), "```"), "$ ")[1:] {
			commands++
			command, printed, _ := strings.Cut(one, "\n")
			shell := exec.Command("sh", "-c", strings.ReplaceAll(command, "http://localhost:8600", p.url))
			shell.Dir = "../.."
			output, err := shell.Output()
			require.NoError(t, err, command)
			got := strings.TrimSuffix(string(output), "\n") + "\n"
			if os.Getenv("UFORM_WRITE_PAGE") == "" {
				require.Equal(t, steady(printed), steady(got), command)
			}
			again.WriteString("$ " + command + "\n" + got)
		}
		return again.String() + "```"
	})
	require.Greater(t, commands, 10)
	if os.Getenv("UFORM_WRITE_PAGE") != "" {
		require.NoError(t, os.WriteFile(page, []byte(written), 0o644))
	}
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	status, _ := p.end(t)
	require.Equal(t, succeeded, status)
}

var (
	times    = regexp.MustCompile(`("created"|"total_duration"):\d+`)
	decimals = regexp.MustCompile(`-?\d+\.\d+(e-\d+)?`)
)

// steady is output without what differs from run to run and from processor to processor: times, and
// digits of numbers beyond the second.
func steady(output string) string {
	output = times.ReplaceAllString(output, "$1:0")
	return decimals.ReplaceAllStringFunc(output, func(number string) string {
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(value, 'f', 2, 64)
	})
}
