package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/uform"
)

// ran is what one run of the program left.
type ran struct {
	status         int
	stdout, stderr string
}

// encode runs the program over an input.
func encode(t *testing.T, input string, args ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), args, command.Streams{In: strings.NewReader(input), Out: &stdout, Err: &stderr})
	return ran{status, stdout.String(), stderr.String()}
}

// succeeds runs the program and returns what it wrote.
func succeeds(t *testing.T, input string, args ...string) string {
	t.Helper()
	got := encode(t, input, args...)
	require.Equal(t, command.Succeeded, got.status, got.stderr)
	return got.stdout
}

const (
	smallContext = 32
	smallColumns = 64
)

// small returns the path of a model that is quick enough for hundreds of thousands of lines, and
// tells any two of them apart.
func small(t testing.TB) string {
	const width, buckets = 8, 4096
	random := rand.New(rand.NewPCG(7, 9))
	draw := func(name string, shape ...int) model.Tensor {
		values := make([]float32, shape[0]*shape[1])
		for i := range values {
			values[i] = float32(random.NormFloat64())
		}
		return model.FloatTensor(name, values, shape...)
	}
	empty := make([]float32, smallColumns)
	empty[0] = 1
	var file bytes.Buffer
	require.NoError(t, model.Write(&file, &model.Config{
		Modalities: []string{"text"}, Context: smallContext, Width: width, Columns: smallColumns,
		Grams: &model.Grams{Sizes: []int{2, 3}, Hashes: 1, Buckets: buckets, Words: true},
	}, []model.Tensor{
		draw("bytes", 256, width), draw("grams", buckets, width), draw("projection", smallColumns, width),
		model.FloatTensor("empty", empty, smallColumns),
	}))
	path := filepath.Join(t.TempDir(), "small.safetensors")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
	return path
}

// embed returns the library's own embeddings of texts, of which long ones count by their heads.
// path is empty for the embedded model.
func embed(t *testing.T, path string, texts []string) [][]float32 {
	t.Helper()
	m, err := open(t.Context(), path, io.Discard)
	require.NoError(t, err)
	defer m.Close()
	arena, err := m.Library().NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	encoded, err := m.TextEncode(t.Context(), uform.Strings(texts), arena, nil)
	require.NoError(t, err)
	copied, err := encoded.Copy()
	require.NoError(t, err)
	return copied.Embeddings
}

// parsed returns the vectors in an output.
func parsed(t *testing.T, format, output string) [][]float32 {
	t.Helper()
	switch format {
	case "npy":
		return parsedArray(t, []byte(output))
	case "jsonl":
		var vectors [][]float32
		for line := range strings.Lines(output) {
			require.True(t, strings.HasSuffix(line, "\n"))
			var vector []float32
			require.NoError(t, json.Unmarshal([]byte(line), &vector))
			vectors = append(vectors, vector)
		}
		return vectors
	}
	var vectors [][]float32
	for line := range strings.Lines(output) {
		line, whole := strings.CutSuffix(line, "\n")
		require.True(t, whole)
		var vector []float32
		for number := range strings.SplitSeq(line, "\t") {
			value, err := strconv.ParseFloat(number, 32)
			require.NoError(t, err)
			vector = append(vector, float32(value))
		}
		vectors = append(vectors, vector)
	}
	return vectors
}

// requireSame requires equal vectors, up to what the company in a batch may change.
func requireSame(t *testing.T, want, got [][]float32) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.Len(t, got[i], len(want[i]), "vector %d", i)
		for j := range want[i] {
			require.InDelta(t, want[i][j], got[i][j], 1e-5, "vector %d, column %d", i, j)
		}
	}
}

var formats = []string{"tsv", "jsonl", "npy"}

func TestFormatsReadBackAsWhatTheModelSays(t *testing.T) {
	lines := []string{"a cat sat on the mat", "", "Ünïcödé ✓", " spaces stay ", "a tab\tstays"}
	want := embed(t, "", lines)
	var first [][]float32
	for _, format := range formats {
		got := parsed(t, format, succeeds(t, strings.Join(lines, "\n")+"\n", "-format", format))
		requireSame(t, want, got)
		if first == nil {
			first = got
		}
		require.Equal(t, first, got, "%s has other floats than %s", format, formats[0])
	}
	require.Equal(t, first, parsed(t, "tsv", succeeds(t, strings.Join(lines, "\n"))), "tsv is what is written unasked")
}

func TestEndsOfLines(t *testing.T) {
	path := small(t)
	want := succeeds(t, "one\ntwo\n", "-model", path)
	for name, input := range map[string]string{
		"none at the end":        "one\ntwo",
		"CR LF":                  "one\r\ntwo\r\n",
		"mixed":                  "one\r\ntwo\n",
		"CR alone at the end":    "one\ntwo\r",
		"CR LF, none at the end": "one\r\ntwo",
	} {
		require.Equal(t, want, succeeds(t, input, "-model", path), name)
	}
	require.NotEqual(t, want, succeeds(t, "one\r\r\ntwo\n", "-model", path), "a line ends with one CR at most")
	require.Len(t, parsed(t, "tsv", succeeds(t, "one\n\n", "-model", path)), 2)
}

func TestEmptyInput(t *testing.T) {
	for _, format := range formats {
		require.Empty(t, parsed(t, format, succeeds(t, "", "-format", format)), format)
	}
}

func TestFiles(t *testing.T) {
	path, folder := small(t), t.TempDir()
	first, second := filepath.Join(folder, "first"), filepath.Join(folder, "second")
	require.NoError(t, os.WriteFile(first, []byte("one\ntwo"), 0o600))
	require.NoError(t, os.WriteFile(second, []byte("three\n"), 0o600))
	require.Equal(t,
		succeeds(t, "one\ntwo\nstdin\nthree\n", "-model", path),
		succeeds(t, "stdin", "-model", path, first, "-", second))
}

func TestLongLines(t *testing.T) {
	path := small(t)
	const over = 200_000 // longer than what is read at once
	lines := []string{
		strings.Repeat("a", smallContext),
		strings.Repeat("b", smallContext+1),
		// The context ends inside of a character.
		strings.Repeat("c", smallContext-1) + "€ and more",
		strings.Repeat("d€", over),
		"short",
	}
	got := encode(t, strings.Join(lines, "\r\n"), "-model", path)
	require.Equal(t, command.Succeeded, got.status, got.stderr)
	requireSame(t, embed(t, path, lines), parsed(t, "tsv", got.stdout))
	lost := 0
	for _, line := range lines {
		lost += max(len(line)-smallContext, 0)
	}
	require.Contains(t, got.stderr,
		"3 of 5 lines were longer than the model's context of 32 bytes and lost "+strconv.Itoa(lost)+" bytes\n")
	require.NotContains(t, encode(t, lines[0], "-model", path).stderr, "longer")
}

// A folder's tokens are its tokenizer's, and its context counts them.
func TestFolders(t *testing.T) {
	const folder = "../../internal/folder/testdata/bert"
	long := strings.Repeat("the boats came back from the sea. ", 100)
	lines := []string{"the boats came back", long, "", long + long, strings.Repeat("the sea ", batchBytes/8+9)}
	got := encode(t, strings.Join(lines, "\n"), "-model", folder)
	require.Equal(t, command.Succeeded, got.status, got.stderr)
	requireSame(t, embed(t, folder, lines), parsed(t, "tsv", got.stdout))
	m, err := open(t.Context(), folder, io.Discard)
	require.NoError(t, err)
	defer m.Close()
	arena, err := m.Library().NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	encoded, err := m.TextEncode(t.Context(), uform.Strings(lines), arena, nil)
	require.NoError(t, err)
	require.Len(t, encoded.Cut, 3)
	lost := 0
	for _, cut := range encoded.Cut {
		lost += cut.Bytes
	}
	require.Contains(t, got.stderr, "3 of 5 lines were longer than the model's context of 48 tokens and lost "+strconv.Itoa(lost)+" bytes\n")
}

func TestInvalidLines(t *testing.T) {
	path := small(t)
	for name, test := range map[string]struct{ bad, replaced string }{
		"a stray byte":             {"a\xffb", "a\uFFFDb"},
		"two of them":              {"\xff\xfe", "\uFFFD\uFFFD"},
		"a character cut short":    {"x\xe2\x82", "x\uFFFD\uFFFD"},
		"a surrogate":              {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		"far behind the context":   {strings.Repeat("z", 100_000) + "\xff", strings.Repeat("z", 100_000) + "\uFFFD"},
		"between what is read":     {strings.Repeat("z", readBytes-1) + "\xe2A", strings.Repeat("z", readBytes-1) + "\uFFFDA"},
		"the context ends at it":   {strings.Repeat("z", smallContext-1) + "\xff", strings.Repeat("z", smallContext-1) + "\uFFFD"},
		"nothing but half of one":  {"\xc3", "\uFFFD"},
		"a CR in the middle of it": {"\xe2\r\xff", "\uFFFD\r\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			got := encode(t, "good\nfine\n"+test.bad+"\nlater\n", "-model", path)
			require.Equal(t, command.Failed, got.status)
			require.Contains(t, got.stderr, "standard input:3: the line is not UTF-8")
			require.Equal(t, succeeds(t, "good\nfine\n", "-model", path), got.stdout, "the lines before are written")
			requireSame(t,
				parsed(t, "tsv", succeeds(t, test.replaced+"\nlater\n", "-model", path)),
				parsed(t, "tsv", succeeds(t, test.bad+"\nlater\n", "-model", path, "-lossy")))
		})
	}
	require.NotContains(t, encode(t, strings.Repeat("z", readBytes-1)+"€\n", "-model", path).stderr, "UTF-8")
}

func TestFaultsOfUse(t *testing.T) {
	folder := t.TempDir()
	notModel := filepath.Join(folder, "not.safetensors")
	require.NoError(t, os.WriteFile(notModel, []byte("not a model"), 0o600))
	for name, test := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"unknown format": {[]string{"-format", "xml"}, command.Misused, "use tsv, jsonl or npy"},
		"unknown flag":   {[]string{"-fromat", "tsv"}, command.Misused, "-fromat"},
		"empty batch":    {[]string{"-batch", "0"}, command.Misused, "at least one line"},
		"help":           {[]string{"-help"}, command.Succeeded, "Usage: encode"},
		"missing file":   {[]string{filepath.Join(folder, "absent.txt")}, command.Failed, "absent.txt"},
		"a folder":       {[]string{folder}, command.Failed, folder + ":1: "},
		"missing model":  {[]string{"-model", filepath.Join(folder, "absent.safetensors")}, command.Failed, "absent.safetensors"},
		"no model":       {[]string{"-model", notModel}, command.Failed, "load model"},
	} {
		got := encode(t, "a line\n", test.args...)
		require.Equal(t, test.status, got.status, "%s: %s", name, got.stderr)
		require.Contains(t, got.stderr, test.says, name)
		require.Empty(t, got.stdout, name)
	}
}

func TestOriginIsTold(t *testing.T) {
	library, err := uform.Open(nil)
	require.NoError(t, err)
	require.Contains(t, encode(t, "a", "-format", "jsonl").stderr, library.Origin().String())
}

func TestTableTellsSimilarTexts(t *testing.T) {
	m, err := open(t.Context(), "", io.Discard)
	require.NoError(t, err)
	defer m.Close()
	var out bytes.Buffer
	require.NoError(t, table(t.Context(), m, &out))

	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 1+len(samples))
	cosines := make([][]float64, len(samples))
	for i, line := range lines[1:] {
		require.Contains(t, line, samples[i])
		numbers := strings.Fields(line)
		for _, number := range numbers[len(numbers)-len(samples):] {
			value, err := strconv.ParseFloat(number, 64)
			require.NoError(t, err)
			cosines[i] = append(cosines[i], value)
		}
		require.Equal(t, 1.0, cosines[i][i])
	}
	// The first six are pairs: each is closest to its partner.
	for i := range 6 {
		for j := range samples {
			if j != i && j != i^1 {
				require.Greater(t, cosines[i][i^1], cosines[i][j], "%q and %q", samples[i], samples[j])
			}
		}
	}
}

// broken is an output that takes nothing.
type broken struct{}

var errBroken = errors.New("the disk is full")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestBrokenOutput(t *testing.T) {
	path := small(t)
	for _, format := range formats {
		var stderr bytes.Buffer
		input := strings.NewReader(strings.Repeat("line\n", 10_000))
		status := run(context.Background(), []string{"-format", format, "-model", path}, command.Streams{In: input, Out: broken{}, Err: &stderr})
		require.Equal(t, command.Failed, status, format)
		require.Contains(t, stderr.String(), errBroken.Error(), format)
	}
}

func TestProgressIsReportedWhereAsked(t *testing.T) {
	path, file := small(t), filepath.Join(t.TempDir(), "lines")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("line\n", 1000)), 0o600))
	got := encode(t, "", "-model", path, "-progress", "-batch", "64", file)
	require.Contains(t, got.stderr, "100% [##############################] 1000 lines, ")
	got = encode(t, strings.Repeat("line\n", 1000), "-model", path, "-progress")
	require.Contains(t, got.stderr, "encode: 1000 lines, ")
	require.NotContains(t, got.stderr, "%")
	require.NotContains(t, encode(t, "line", "-model", path).stderr, "a second")
}
