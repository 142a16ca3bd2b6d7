package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/testdata/media"
)

// samples are texts of each kind: plain, empty, of other scripts, longer than the model's context,
// and with what formats escape.
var samples = []string{"a cat sleeps", "", "日本語のテキスト", strings.Repeat("a long line with a tail ", 400), "tab\there \"quoted\" \\ <b>&", "last"}

// array parses a NumPy file of f32.
func array(t *testing.T, file string) (rows [][]float32) {
	t.Helper()
	require.True(t, strings.HasPrefix(file, "\x93NUMPY\x01\x00"))
	head := 10 + int(binary.LittleEndian.Uint16([]byte(file[8:])))
	require.Zero(t, head%64)
	shape := regexp.MustCompile(`^\{'descr': '<f4', 'fortran_order': False, 'shape': \((\d+), (\d+)\), \} *\n$`).FindStringSubmatch(file[10:head])
	require.NotNil(t, shape, file[10:head])
	count, _ := strconv.Atoi(shape[1])
	columns, _ := strconv.Atoi(shape[2])
	body := file[head:]
	require.Len(t, body, 4*count*columns)
	for range count {
		row := make([]float32, columns)
		for c := range row {
			row[c] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(body[4*c:])))
		}
		rows, body = append(rows, row), body[4*columns:]
	}
	return rows
}

// Every format has the vectors of the library, to the bit.
func TestEmbedFormats(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "in.txt", strings.Join(samples, "\n"))
	want := embedded(t, samples)

	_, said := done(t, folder, "", "embed", "in.txt", "-o", "out.npy")
	require.Equal(t, "uform: wrote out.npy: 6 rows of 384\n", said)
	require.Equal(t, want, array(t, read(t, folder, "out.npy")))

	type record struct {
		Item      string    `json:"item" parquet:"item"`
		Text      string    `json:"text" parquet:"text"`
		Embedding []float32 `json:"embedding" parquet:"embedding,list"`
	}
	check := func(i int, r record) {
		require.Equal(t, record{fmt.Sprintf("in.txt:%d", i+1), samples[i], want[i]}, r)
	}
	done(t, folder, "", "embed", "in.txt", "--text", "-o", "out.jsonl")
	for i, line := range strings.Split(strings.TrimSuffix(read(t, folder, "out.jsonl"), "\n"), "\n") {
		var r record
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		check(i, r)
	}
	done(t, folder, "", "embed", "in.txt", "--text", "-o", "out.parquet")
	records, err := parquet.ReadFile[record](filepath.Join(folder, "out.parquet"))
	require.NoError(t, err)
	require.Len(t, records, len(samples))
	for i, r := range records {
		check(i, r)
	}
	table, _ := done(t, folder, strings.Join(samples, "\n"), "embed", "--text") // of standard input, to standard output
	for i, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
		fields := strings.Split(line, "\t")
		require.Equal(t, fmt.Sprintf("standard input:%d", i+1), fields[0])
		require.Equal(t, strings.NewReplacer("\\", `\\`, "\t", `\t`).Replace(samples[i]), fields[1])
		for c, text := range fields[2:] {
			value, err := strconv.ParseFloat(text, 32)
			require.NoError(t, err)
			require.Equal(t, want[i][c], float32(value))
		}
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 4, "nothing is left beside the outputs")
}

func TestEmbedNothing(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "in.txt", "")
	done(t, folder, "", "embed", "in.txt", "-o", "out.npy")
	require.Empty(t, array(t, read(t, folder, "out.npy")))
	done(t, folder, "", "embed", "in.txt", "-o", "out.parquet")
	out, _ := done(t, folder, "", "embed", "in.txt")
	require.Empty(t, out)
}

// many are more lines than a few batches have.
func many() string {
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "line %d of many\n", i*7)
	}
	return text.String()
}

// A command that a signal ends in the middle, and that is repeated, writes what one would that was
// left alone.
func TestEmbedContinues(t *testing.T) {
	text := many()
	for _, format := range []string{"npy", "jsonl", "tsv", "parquet"} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
			t.Run(format+" "+signal.String(), func(t *testing.T) {
				folder := t.TempDir()
				done(t, folder, text, "embed", "-", "-o", "whole."+format)
				interrupt(t, folder, text, signal, "embed", "-", "-o", "out."+format)
				require.NoFileExists(t, filepath.Join(folder, "out."+format))
				if signal == syscall.SIGINT {
					require.FileExists(t, filepath.Join(folder, "out."+format+".resume"))
					// A crash may leave more in the file than the state counts.
					partial, err := os.OpenFile(filepath.Join(folder, "out."+format+".partial"), os.O_APPEND|os.O_WRONLY, 0)
					require.NoError(t, err)
					_, err = partial.WriteString("a torn row")
					require.NoError(t, err)
					require.NoError(t, partial.Close())
					status, _, said := ended(t, folder, text, "embed", "-", "--text", "-o", "out."+format)
					require.NotEqual(t, succeeded, status)
					require.Regexp(t, "--restart|has no texts", said)
				}
				_, said := done(t, folder, text, "embed", "-", "-o", "out."+format)
				require.Equal(t, signal == syscall.SIGINT, strings.Contains(said, "continuing after"), said)
				require.Equal(t, read(t, folder, "whole."+format), read(t, folder, "out."+format))
				entries, err := os.ReadDir(folder)
				require.NoError(t, err)
				require.Len(t, entries, 2)
			})
		}
	}
}

// interrupt runs the program with half of a text, and ends it by a signal once some rows are in the
// partial file.
func interrupt(t *testing.T, folder, text string, signal syscall.Signal, args ...string) {
	t.Helper()
	command := program(t, folder, args...)
	in, err := command.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	_, err = in.Write([]byte(text[:len(text)/2]))
	require.NoError(t, err)
	partial := filepath.Join(folder, args[len(args)-1]+".partial")
	require.Eventually(t, func() bool {
		about, err := os.Stat(partial)
		return err == nil && about.Size() > 200<<10
	}, time.Minute, 5*time.Millisecond)
	require.NoError(t, command.Process.Signal(signal))
	_ = command.Wait()
	if signal == syscall.SIGINT {
		require.Equal(t, 130, command.ProcessState.ExitCode())
	}
}

func TestEmbedRefusesToContinueWithOthers(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "in.txt", strings.Repeat("one\n", 300)+"\xff\n")
	status, _, said := ended(t, folder, "", "embed", "in.txt", "-o", "out.tsv")
	require.Equal(t, failed, status)
	require.Contains(t, said, "uform: in.txt:301: the line is not UTF-8\n")
	require.Contains(t, said, "kept 256 items")
	write(t, folder, "in.txt", strings.Repeat("one\n", 300)+"mended\n")
	status, _, said = ended(t, folder, "", "embed", "in.txt", "-o", "out.tsv")
	require.Equal(t, failed, status)
	require.Contains(t, said, "--restart")
	done(t, folder, "", "embed", "in.txt", "-o", "out.tsv", "--restart")
	require.Equal(t, 301, strings.Count(read(t, folder, "out.tsv"), "\n"))
}

// Bad items are named with their cause, and end the command, or are left out.
func TestEmbedBadItems(t *testing.T) {
	folder := t.TempDir()
	picture, err := media.Files.ReadFile("images/rgb-8.png")
	require.NoError(t, err)
	write(t, folder, "in/a.txt", "a text")
	write(t, folder, "in/b.png", string(picture))
	write(t, folder, "in/c.png", string(picture[:len(picture)/2]))
	write(t, folder, "in/d.bin", "\xfe\x01")
	write(t, folder, "in/e.txt", "the last")
	status, out, said := ended(t, folder, "", "embed", "--model", "senses", "in")
	require.Equal(t, failed, status)
	require.Equal(t, 1, strings.Count(out, "\n"), "the batch before the bad one")
	require.Regexp(t, `^uform: in/c.png: [^\n]+\n$`, said)
	out, said = done(t, folder, "", "embed", "--model", "senses", "--skip-bad", "in")
	require.Regexp(t, `^in/a.txt\t[^\n]+\nin/b.png\t[^\n]+\nin/e.txt\t[^\n]+\n$`, out)
	require.Regexp(t, `^uform: left out in/c.png: [^\n]+\nuform: left out in/d.bin: [^\n]+\n$`, said)
	// A model that takes no pictures.
	_, said = done(t, folder, "", "embed", "--skip-bad", "in", "-o", "out.jsonl")
	require.Contains(t, said, "left out in/b.png: the model does not take images")
	require.Contains(t, said, "wrote out.jsonl: 2 rows of 384, and left out 3 items\n")
}

func TestEmbedMisuse(t *testing.T) {
	for _, args := range [][]string{
		{"embed", "--format", "xls", "-"},
		{"embed", "--format", "npy", "-"},
		{"embed", "--format", "parquet", "-"},
		{"embed", "-", "-o", "out.npy", "--text"},
		{"embed", "-", "-o", "out"},
		{"embed", "--items", "words", "-"},
	} {
		status, out, err := running(t.Context(), args...)
		require.Equal(t, misused, status, args)
		require.Empty(t, out, args)
		require.Regexp(t, `^uform: [^\n]+\n$`, err, args)
	}
	status, _, err := running(t.Context(), "embed", "none.txt")
	require.Equal(t, failed, status)
	require.Contains(t, err, "none.txt")
}
