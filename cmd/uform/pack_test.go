package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/model"
)

// sentences are pairs whose halves belong together: a made-up code, and what it stands for.
func sentences(count int) string {
	things := []string{"printer", "door", "lamp", "engine", "window", "radio", "pump", "camera"}
	states := []string{"out of paper", "open", "broken", "too hot", "frozen", "loud", "empty", "blocked"}
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "fault %c%d\tthe %s number %d is %s\n", 'A'+i%26, i, things[i%8], i, states[i/8%8])
	}
	return text.String()
}

// A model is tuned and packed: a tuned words has 4 MB again, is as good as before, and close to
// what was tuned.
func TestTuneAndPack(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "pairs.tsv", sentences(120))
	out, _ := done(t, folder, "", "tune", "pairs.tsv", "-o", "tuned.safetensors", "--steps", "12", "--batch", "32")
	said := regexp.MustCompile(`(?s)^108 pairs to learn from, 12 held out\n` +
		`before +the partner is the nearest of 12 for +[\d.]+ %, among ten for +[\d.]+ %, mean reciprocal rank ([\d.]+)\n` +
		`12 steps: the loss went from ([\d.]+) to ([\d.]+)\n` +
		`after +the partner is .* mean reciprocal rank ([\d.]+)\n` +
		`saved tuned.safetensors: (\d+) bytes\n$`).FindStringSubmatch(out)
	require.NotNil(t, said, out)
	number := func(i int) float64 {
		value, err := strconv.ParseFloat(said[i], 64)
		require.NoError(t, err)
		return value
	}
	require.Less(t, number(3), number(2), "the loss")
	require.Greater(t, number(4), number(1), "the mean reciprocal rank")
	require.Greater(t, number(5), 80e6)

	write(t, folder, "texts.txt", strings.ReplaceAll(sentences(60), "\t", "\n"))
	out, _ = done(t, folder, "", "pack", "tuned.safetensors", "small.safetensors", "--texts", "texts.txt")
	cosines := regexp.MustCompile(`of 120 items: mean ([\d.]+), least ([\d.]+) \(texts.txt:\d+\)\n$`).FindStringSubmatch(out)
	require.NotNil(t, cosines, out)
	least, err := strconv.ParseFloat(cosines[2], 64)
	require.NoError(t, err)
	require.Greater(t, least, 0.95)
	about, err := os.Stat(filepath.Join(folder, "small.safetensors"))
	require.NoError(t, err)
	require.Less(t, about.Size(), int64(4_200_000))

	// The run goes on from its own file, and what is packed serves.
	done(t, folder, "", "tune", "pairs.tsv", "--model", "tuned.safetensors", "-o", "more.safetensors", "--steps", "2")
	done(t, folder, "", "embed", "texts.txt", "--model", "small.safetensors", "-o", "out.npy")
}

func TestPackKinds(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "texts.txt", "one\ntwo\nthree\n")
	done(t, folder, "", "pack", "mini", "wide.safetensors", "--tables", "f32", "--matrices", "f32")
	for _, kinds := range [][2]string{{"bf16", "bf16"}, {"i8", "i8"}, {"i4", "i8"}, {"i4", "i4"}, {"f32", "i8"}} {
		out, _ := done(t, folder, "", "pack", "mini", "out.safetensors", "--tables", kinds[0], "--matrices", kinds[1], "--texts", "texts.txt")
		require.Regexp(t, `mean (0\.9\d+|1\.00000)`, out, kinds)
		container, err := model.ReadContainer([]byte(read(t, folder, "out.safetensors")))
		require.NoError(t, err)
		original, err := model.ReadContainer([]byte(read(t, folder, "wide.safetensors")))
		require.NoError(t, err)
		widths := map[model.DType]int{model.F32: 32, model.BF16: 16, model.I8: 8, model.U8: 4}
		asked := map[string]int{"f32": 32, "bf16": 16, "i8": 8, "i4": 4}
		require.Equal(t, min(widths[original.Tensors["bytes"].DType], asked[kinds[0]]), widths[container.Tensors["bytes"].DType], kinds)
		require.Equal(t, min(widths[original.Tensors["projection"].DType], asked[kinds[1]]), widths[container.Tensors["projection"].DType], kinds)
		// Packing again changes nothing.
		done(t, folder, "", "pack", "out.safetensors", "again.safetensors", "--tables", kinds[0], "--matrices", kinds[1])
		require.Equal(t, read(t, folder, "out.safetensors"), read(t, folder, "again.safetensors"))
	}
}

func TestPackRefuses(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "text", "no checkpoint")
	write(t, folder, "out", "stays")
	for _, args := range [][]string{
		{"pack", "text", "out"}, {"pack", "none", "out"}, {"pack", ".", "out"}, {"pack", "mini", "."},
	} {
		status, out, said := ended(t, folder, "", args...)
		require.Equal(t, failed, status, args)
		require.Empty(t, out, args)
		require.Regexp(t, `^uform: [^\n]+\n$`, said, args)
	}
	_, _, said := ended(t, folder, "", "pack", ".", "out")
	require.Contains(t, said, "examples/distill")
	require.Equal(t, "stays", read(t, folder, "out"))
	status, _, _ := ended(t, folder, "", "pack", "mini", "out", "--tables", "i2")
	require.Equal(t, misused, status)
}

func TestTuneRefuses(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "few.tsv", "a\tb\nc\td\n")
	write(t, folder, "same.tsv", "a\tb\nb\tc\nc\td\nd\te\n")
	write(t, folder, "one.tsv", "a\tb\nonly one\n")
	write(t, folder, "latin.tsv", "a\tb\n\xe9\td\n")
	write(t, folder, "good.tsv", sentences(40))
	for _, row := range []struct {
		says   string
		status int
		args   []string
	}{
		{"few.tsv: there are 2 pairs that share no text", failed, []string{"few.tsv", "-o", "out"}},
		{"same.tsv: there are 1 pairs that share no text", failed, []string{"same.tsv", "-o", "out"}},
		{"one.tsv:2: the line is not two texts", failed, []string{"one.tsv", "-o", "out"}},
		{"latin.tsv:2: the line is not UTF-8", failed, []string{"latin.tsv", "-o", "out"}},
		{"would replace good.tsv", failed, []string{"good.tsv", "-o", "good.tsv"}},
		{"none", failed, []string{"good.tsv", "-o", "none/out"}},
		{"output", misused, []string{"good.tsv"}},
		{"two pairs", misused, []string{"good.tsv", "-o", "out", "--batch", "1"}},
	} {
		status, _, said := ended(t, folder, "", append([]string{"tune"}, row.args...)...)
		require.Equal(t, row.status, status, "%v: %s", row.args, said)
		require.Contains(t, said, row.says, row.args)
	}
	require.NoFileExists(t, filepath.Join(folder, "out"))
}

// Pairs that share a text are held out together, or learned from together.
func TestSplitKeepsGroupsTogether(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "question %d\tanswer %d\n", i, i/3)
	}
	pairs, err := readPairs(strings.NewReader(text.String()), "pairs")
	require.NoError(t, err)
	for seed := range uint64(20) {
		learned, held, err := split(pairs, seed)
		require.NoError(t, err)
		require.Len(t, learned, 200-len(held))
		require.InDelta(t, 20, len(held), 3)
		answers := map[string]bool{}
		for _, p := range learned {
			answers[p.right] = true
		}
		for _, p := range held {
			require.False(t, answers[p.right])
		}
	}
}
