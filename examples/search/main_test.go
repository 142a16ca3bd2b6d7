package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// ran is what one run of the program left.
type ran struct {
	status         int
	stdout, stderr string
}

// search runs the program over queries on standard input.
func search(t *testing.T, input string, args ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), args, command.Streams{In: strings.NewReader(input), Out: &stdout, Err: &stderr})
	return ran{status, stdout.String(), stderr.String()}
}

// answers runs the program and answers the lines that it found, with their places, for each query.
func answers(t *testing.T, input string, args ...string) [][]string {
	t.Helper()
	got := search(t, input, args...)
	require.Equal(t, 0, got.status, got.stderr)
	var all [][]string
	for block := range strings.SplitSeq(strings.TrimSuffix(got.stdout, "\n\n"), "\n\n") {
		if block == "" {
			continue
		}
		var found []string
		for _, line := range strings.Split(block, "\n")[1:] {
			if match := hit.FindStringSubmatch(line); match != nil {
				found = append(found, match[1])
			}
		}
		all = append(all, found)
	}
	return all
}

var hit = regexp.MustCompile(`^ +-?\d\.\d{3}  (.*)$`)

// file stores a text.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestBuiltInQueriesFindWhatTheyMean(t *testing.T) {
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	for _, scalar := range []string{"f32", "f16", "i8"} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, 0, run(t.Context(), []string{"-k", "1", "-scalar", scalar}, command.Streams{In: null, Out: &stdout, Err: &stderr}), stderr.String())
		for _, want := range []string{
			"My account is locked after too many attempts to log in  (corpus.txt:18)",
			"A cat sleeps on the warm windowsill all afternoon  (corpus.txt:1)",
			"Stock prices fell sharply after the earnings report  (corpus.txt:26)",
			"The telescope took its first picture of a young galaxy  (corpus.txt:36)",
			"The orchestra rehearsed the symphony until midnight  (corpus.txt:57)",
		} {
			require.Contains(t, stdout.String(), want, scalar)
		}
		require.Equal(t, scalar != "f32", strings.Contains(stdout.String(), "against f32"), scalar)
	}
}

// A ranking of all lines has the same lines whatever it is worth, so how many are the same is not
// printed.
func TestAFigureThatCannotFailIsNotPrinted(t *testing.T) {
	got := search(t, "", "-query", "a train", "-k", "64", "-scalar", "i8")
	require.Contains(t, got.stdout, "i8 against f32: ")
	require.NotContains(t, got.stdout, "of the best")
}

func TestLinesOfStandardInput(t *testing.T) {
	got := search(t, "a cat\na train\n", "-query", "the train", "-k", "1", "-")
	require.Equal(t, command.Succeeded, got.status, got.stderr)
	require.Contains(t, got.stdout, "a train  (-:2)\n")
	require.Equal(t, command.Misused, search(t, "a cat\n", "-").status)
}

func TestScalarsKeepTheRanking(t *testing.T) {
	const query = "the train leaves from the station at midnight"
	want := answers(t, "", "-query", query, "-k", "60")
	require.Len(t, want[0], 60)
	for scalar, most := range map[string]float64{"f16": 0.001, "i8": 0.02} {
		got := search(t, "", "-query", query, "-k", "60", "-scalar", scalar)
		require.Regexp(t, scalar+" against f32: (59|60) of the best 60 are the same", got.stdout)
		_, told, _ := strings.Cut(got.stdout, "scores differ by up to ")
		var furthest float64
		_, err := fmt.Sscan(told, &furthest)
		require.NoError(t, err)
		require.LessOrEqual(t, furthest, most, scalar)
		if scalar != "f16" { // whose difference may be too small to print
			require.Greater(t, furthest, most/100, "%s embeddings are not rounded", scalar)
		}
	}
	require.Equal(t, want[0][0], answers(t, "", "-query", query, "-k", "1", "-scalar", "i8")[0][0])
}

func TestSizesOfTheKinds(t *testing.T) {
	for scalar, bytes := range map[string]int{"f32": 4, "f16": 2, "i8": 1} {
		got := search(t, "", "-query", "x", "-scalar", scalar)
		require.Contains(t, got.stderr, fmt.Sprintf("64 lines, 384 columns of %s, %d bytes", scalar, 64*384*bytes))
	}
}

func TestFilesAndQueries(t *testing.T) {
	first := file(t, "first", "red apples\r\n\n  \ngreen pears\n")
	second := file(t, "second", "blue plums")
	require.Equal(t, [][]string{
		{"green pears  (" + first + ":4)"},
		{"blue plums  (" + second + ":1)"},
		{"red apples  (" + first + ":1)"},
	}, answers(t, "pears, green\nplums\r\n\nred apples", "-k", "1", first, second))
	require.Len(t, answers(t, "", "-query", "plums", first, second)[0], 3, "fewer lines than asked for")
	require.Empty(t, answers(t, "", first), "no query")
	require.Contains(t, search(t, "", "-query", "red apples", first).stdout, "  1.000  red apples")
}

func TestLongLinesCountByTheirHeads(t *testing.T) {
	long := file(t, "long", strings.Repeat("a long story ", 1000)+"\nshort\n")
	got := search(t, "", "-query", "a long story", "-k", "1", long)
	require.Contains(t, got.stdout, long+":1)")
	require.Contains(t, got.stderr, "lines longer than the model's context, which count by their heads: 1\n")
}

func TestFaults(t *testing.T) {
	folder := t.TempDir()
	for name, test := range map[string]struct {
		args   []string
		input  string
		status int
		says   string
	}{
		"unknown scalar":   {[]string{"-scalar", "f64"}, "", 2, "use f32, f16 or i8"},
		"no matches":       {[]string{"-k", "0"}, "", 2, "use a number from 1"},
		"no number":        {[]string{"-k", "few"}, "", 2, "use a number from 1"},
		"help":             {[]string{"-h"}, "", 0, "Usage: search"},
		"missing file":     {[]string{filepath.Join(folder, "absent.txt")}, "", 1, "absent.txt"},
		"missing model":    {[]string{"-model", filepath.Join(folder, "absent")}, "", 1, "absent"},
		"nothing to find":  {[]string{file(t, "blank", "\n \n")}, "", 1, errEmpty.Error()},
		"invalid line":     {[]string{file(t, "torn", "good\n\nbad \xff\n")}, "q", 1, "torn:3: the line is not UTF-8: convert it\n"},
		"invalid query":    {nil, "good\nbad \xff\n", 1, "query:2: "},
		"a line too long":  {[]string{file(t, "huge", "good\n"+strings.Repeat("x", command.LongestText+1))}, "q", 1, "huge:2: the line is longer than 1048576 bytes: break it\n"},
		"an empty query":   {[]string{"-query", "", file(t, "lines", "good\n")}, "bad \xff", 0, "1 lines"},
		"a query too long": {nil, strings.Repeat("x", command.LongestText+1), 1, "query:1: "},
	} {
		got := search(t, test.input, test.args...)
		require.Equal(t, test.status, got.status, "%s: %s", name, got.stderr)
		require.Contains(t, got.stderr, test.says, name)
	}
}

// TestManyLines searches more lines than one call takes.
func TestManyLines(t *testing.T) {
	var text strings.Builder
	for i := range 2*batch + 1 {
		fmt.Fprintf(&text, "n%d\n", i)
	}
	path := file(t, "many", text.String())
	numbers := []int{0, batch - 1, batch, 2 * batch}
	input, want := "", [][]string(nil)
	for _, i := range numbers {
		input += fmt.Sprintf("n%d\n", i)
		want = append(want, []string{fmt.Sprintf("n%d  (%s:%d)", i, path, i+1)})
	}
	require.Equal(t, want, answers(t, input, "-k", "1", path))
	require.NoError(t, os.WriteFile(path, []byte(text.String()+"\xff\n"), 0o600))
	require.Contains(t, search(t, "q", path).stderr, fmt.Sprintf("many:%d: ", 2*batch+2))
}

func TestOriginIsTold(t *testing.T) {
	library, err := uform.Open(nil)
	require.NoError(t, err)
	require.Contains(t, search(t, "", "-query", "x").stderr, library.Origin().String())
}

func TestModelFromAPath(t *testing.T) {
	path := file(t, "words.safetensors", string(words.Checkpoint()))
	got := search(t, "", "-query", "violin strings", "-model", path)
	require.Equal(t, search(t, "", "-query", "violin strings").stdout, got.stdout)
}

// A model of a folder whose embeddings have no unit length still has similarities up to one.
func TestFolders(t *testing.T) {
	for _, name := range []string{"bert", "modernbert", "model2vec"} {
		got := search(t, "the boats came back\n", "-model", "../../internal/folder/testdata/"+name, file(t, "lines.txt", "a sea\nthe boats came back\n"))
		require.Equal(t, 0, got.status, got.stderr)
		require.Contains(t, got.stdout, " 1.000  the boats came back", name)
	}
}
