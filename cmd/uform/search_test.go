package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/testdata/media"
)

func TestSearch(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "pets.txt", "a cat sleeps on the sofa\n\na dog barks at night\n")
	write(t, folder, "money.txt", "share prices fell today\n")
	_, said := done(t, folder, "", "search", "add", "my.index", "pets.txt", "money.txt")
	require.Equal(t, "uform: my.index: added 3 items, 3 in all\n", said)
	out, _ := done(t, folder, "", "search", "ask", "my.index", "-k", "1", "sleepy", "cat")
	require.Regexp(t, `^0\.\d{3}  pets\.txt:1  a cat sleeps on the sofa\n$`, out)

	// A file that is added again takes the place of what it was; others stay.
	write(t, folder, "pets.txt", "the hamster runs in its wheel\n")
	_, said = done(t, folder, "", "search", "add", "my.index", "pets.txt")
	require.Equal(t, "uform: my.index: added 1 items, in place of 2, 2 in all\n", said)
	out, _ = done(t, folder, "hamster wheel\nstock market\n", "search", "ask", "my.index", "-k", "5", "--json")
	var names []string
	for line := range strings.Lines(out) {
		var answer struct {
			Query   string
			Nearest []struct {
				Item, Source, Text string
				Score              float64
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &answer))
		require.Len(t, answer.Nearest, 2)
		require.Greater(t, answer.Nearest[0].Score, answer.Nearest[1].Score)
		names = append(names, answer.Query+": "+answer.Nearest[0].Item)
	}
	require.Equal(t, []string{"hamster wheel: pets.txt:1", "stock market: money.txt:1"}, names)

	_, said = done(t, folder, "", "search", "remove", "my.index", "money.txt")
	require.Equal(t, "uform: my.index: removed 1 items, 1 are left\n", said)
	status, _, said := ended(t, folder, "", "search", "remove", "my.index", "money.txt")
	require.Equal(t, failed, status)
	require.Contains(t, said, "my.index has no items of money.txt")
	status, _, said = ended(t, folder, "", "search", "add", "--model", "senses", "my.index", "money.txt")
	require.Equal(t, failed, status)
	require.Contains(t, said, "my.index was made by the model words")
	out, _ = done(t, folder, "", "describe", "--json", "my.index")
	require.JSONEq(t, `{"index":"my.index","model":"words","items":1,"columns":384,"scalar":"f32","metric":"cosine","bytes_of_row":1536}`, out)
}

func TestSearchPictures(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"rgb-8.png", "gray-8.png", "palette-8.png"} {
		content, err := media.Files.ReadFile("images/" + name)
		require.NoError(t, err)
		write(t, folder, "pictures/"+name, string(content))
	}
	done(t, folder, "", "search", "add", "--model", "senses", "--kind", "f16", "my.index", "pictures")
	out, _ := done(t, folder, "", "search", "ask", "my.index", "-k", "1", "--file", "pictures/gray-8.png")
	require.Equal(t, "1.000  pictures/gray-8.png\n", out)
	out, _ = done(t, folder, "", "search", "ask", "my.index", "-k", "2", "a", "smile")
	require.Equal(t, 2, strings.Count(out, "\n"))
	_, said := done(t, folder, "", "search", "remove", "my.index", "pictures")
	require.Contains(t, said, "removed 3 items, 0 are left")
	done(t, folder, "", "search", "add", "my.index", "pictures")
}

// An addition that is ended in the middle has not changed the index, and what it left is no harm.
func TestSearchAddIsAtomic(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		folder := t.TempDir()
		done(t, folder, "a cat\n", "search", "add", "my.index", "-")
		before := read(t, folder, "my.index/vectors")
		command := program(t, folder, "search", "add", "my.index", "-")
		in, err := command.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		_, err = in.Write([]byte(strings.Repeat("a dog and many more words\n", 20000)))
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			about, err := os.Stat(filepath.Join(folder, "my.index/items.jsonl"))
			return err == nil && about.Size() > 300<<10
		}, time.Minute, 5*time.Millisecond)
		require.NoError(t, command.Process.Signal(signal))
		_ = command.Wait()
		require.Equal(t, before, read(t, folder, "my.index/vectors"))
		done(t, folder, "a bird\n", "search", "add", "my.index", "-")
		out, _ := done(t, folder, "", "search", "ask", "my.index", "bird")
		require.Equal(t, 2, strings.Count(out, "\n"), out)
		require.Regexp(t, `a bird\n.*a cat\n$`, out)
	}
}

func TestSearchRefuses(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "other/file", "no index")
	write(t, folder, "broken/index.json", `{"version": 9}`)
	for _, row := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"search", "ask"}, misused, "at least 1 arg"},
		{[]string{"search", "ask", "none", "cat"}, failed, "none is not an index"},
		{[]string{"search", "ask", "other", "cat"}, failed, "other is not an index"},
		{[]string{"search", "ask", "broken", "cat"}, failed, "version 9"},
		{[]string{"search", "add", "other", "other/file"}, failed, "other is a folder with other files"},
		{[]string{"search", "add", "new", "none.txt"}, failed, "none.txt"},
		{[]string{"search", "add", "--kind", "f64", "new", "other"}, misused, "use f32, f16 or i8"},
		{[]string{"search", "ask", "-k", "0", "new", "cat"}, misused, "at least 1"},
		{[]string{"search", "ask", "--file", "a", "new", "cat"}, misused, "not both"},
	} {
		status, _, said := ended(t, folder, "", row.args...)
		require.Equal(t, row.status, status, row.args)
		require.Contains(t, said, row.says, row.args)
	}
	require.NoFileExists(t, filepath.Join(folder, "new"))
}

func TestSearchInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "in.txt", many())
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted{syscall.SIGINT})
	status, _, said := running(ctx, "search", "add", "new", "in.txt")
	require.Equal(t, 130, status)
	require.Equal(t, "uform: interrupted\n", said)
}
