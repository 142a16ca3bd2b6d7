package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// program runs the program, and returns what it wrote.
func program(t *testing.T, ctx context.Context, status int, in string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, faults bytes.Buffer
	got := run(ctx, args, command.Streams{In: strings.NewReader(in), Out: &out, Err: &faults})
	require.Equal(t, status, got, "%s%s", out.String(), faults.String())
	return out.String(), faults.String()
}

// write writes a file into a folder of the test.
func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// sentences returns different lines of few words, so that a student can learn in seconds.
func sentences(count int) string {
	kinds := strings.Fields("big small quick old happy clever rich quiet brave strange sick angry")
	beings := strings.Fields("boy doctor teacher dog horse thief king friend baby soldier sailor lawyer")
	deeds := strings.Fields("sees helps follows calls likes fears thanks teaches watches finds visits")
	things := strings.Fields("car house road stone forest boat gift picture shop coat cup meal")
	random := rand.New(rand.NewPCG(7, 7))
	pick := func(words []string) string { return words[random.IntN(len(words))] }
	seen := map[string]bool{}
	var lines strings.Builder
	for len(seen) < count {
		line := fmt.Sprintf("The %s %s %s a %s.", pick(kinds), pick(beings), pick(deeds), pick(things))
		if !seen[line] {
			seen[line] = true
			lines.WriteString(line + "\n")
		}
	}
	return lines.String()
}

// figure returns a figure that the program printed.
func figure(t *testing.T, out, when, name string) float64 {
	t.Helper()
	found := regexp.MustCompile(when + ` +.*` + name + ` (-?[0-9.]+)`).FindStringSubmatch(out)
	require.Len(t, found, 2, "%s of %s in %s", name, when, out)
	value, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	return value
}

// A student of a teacher says of held-out lines what the teacher says, its file loads, and the same
// seed makes the same file, also where the run is interrupted.
func TestStudentLearns(t *testing.T) {
	teacher := write(t, "teacher.safetensors", words.Checkpoint())
	folder := t.TempDir()
	lines := sentences(700)
	sts := "-\t-\t-\t-\t4.5\tA boy sees a car.\tThe boy finds a car.\n" +
		"-\t-\t-\t-\t0.5\tA boy sees a car.\tA king fears a horse.\n" +
		"-\t-\t-\t-\t2.5\tA sick boy sees.\tA king sees a boy.\n"
	arguments := func(out string) []string {
		return []string{
			"-teacher", teacher, "-texts", "-", "-size", "tiny", "-grams", "4000", "-passes", "14", "-batch", "64",
			"-points", "5", "-noise", "typos=0.1,case=0.1", "-sts", write(t, "sts.tsv", []byte(sts)), "-o", filepath.Join(folder, out),
		}
	}
	stdout, _ := program(t, t.Context(), command.Succeeded, lines, arguments("whole.safetensors")...)
	require.Contains(t, stdout, "650 lines to learn from, 50 held out")
	require.Contains(t, stdout, "the loss: the cosine")
	// A run measured −0.01 → 0.87 and 0.26 → 0.95.
	require.Greater(t, figure(t, stdout, "after", "cosine"), figure(t, stdout, "before", "cosine")+0.7)
	require.Greater(t, figure(t, stdout, "after", "rank agreement"), figure(t, stdout, "before", "rank agreement")+0.5)
	require.Greater(t, figure(t, stdout, "after", "STS"), 0.9)

	whole, err := os.ReadFile(filepath.Join(folder, "whole.safetensors"))
	require.NoError(t, err)
	require.Less(t, len(whole), 300_000)
	library, err := uform.Open(nil)
	require.NoError(t, err)
	student, err := library.LoadBytes(t.Context(), whole, nil)
	require.NoError(t, err)
	defer student.Close()
	vectors, err := student.Embed(t.Context(), []string{"the old dog sees a boat"})
	require.NoError(t, err)
	require.Len(t, vectors[0], 384)
	drawn, err := os.ReadFile(filepath.Join(folder, "whole.svg"))
	require.NoError(t, err)
	checkDrawing(t, drawn, "cosine", "rank agreement", "STS", "loss")
	require.NoFileExists(t, filepath.Join(folder, "whole.run"))

	// Interrupted after its first step, and again while the teacher is asked: it continues.
	require.NoError(t, os.Remove(filepath.Join(folder, "whole.vectors")))
	for _, at := range []string{"teacher: ", "step "} {
		ctx, stop := context.WithCancel(t.Context())
		heard := &listener{at: at, stop: stop}
		status := run(ctx, arguments("parts.safetensors"), command.Streams{In: strings.NewReader(lines), Out: io.Discard, Err: heard})
		require.Equal(t, command.Interrupted, status, heard.String())
		require.True(t, strings.HasSuffix(heard.String(), "\ndistill: interrupted\n"), heard.String())
		require.Equal(t, 1, strings.Count(heard.String(), "distill: interrupted"))
	}
	_, stderr := program(t, t.Context(), command.Succeeded, lines, arguments("parts.safetensors")...)
	require.Regexp(t, "continues after step [1-9]", stderr)
	require.NotContains(t, stderr, "teacher: ", "all vectors were there")
	parts, err := os.ReadFile(filepath.Join(folder, "parts.safetensors"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(whole, parts), "an interrupt changed the result")
	again, err := os.ReadFile(filepath.Join(folder, "parts.svg"))
	require.NoError(t, err)
	require.Equal(t, string(drawn), string(again))
}

// listener ends a context when it hears some words.
type listener struct {
	bytes.Buffer
	at   string
	stop context.CancelFunc
}

func (l *listener) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(l.at)) {
		l.stop()
	}
	return l.Buffer.Write(p)
}

// checkDrawing requires well-formed XML, a line for each name, and colours for a dark page.
func checkDrawing(t *testing.T, svg []byte, names ...string) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	text := string(svg)
	require.Equal(t, len(names), strings.Count(text, "<polyline"))
	for _, name := range names {
		require.Regexp(t, ">"+name+` -?[0-9.]+</text>`, text)
	}
	require.Contains(t, text, "prefers-color-scheme: dark")
	require.NotContains(t, text, "NaN")
}

// Students of other columns, with layers, and that begin with a checkpoint learn too.
func TestStudents(t *testing.T) {
	teacher := write(t, "teacher.safetensors", words.Checkpoint())
	texts := write(t, "lines.txt", []byte(sentences(300)))
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name+".safetensors") }
	for _, test := range []struct {
		name, args, says string
		from, rise       float64 // of the rank agreement, at least
	}{
		{"narrow", "-grams 3000 -columns 48 -passes 12 -bits 16 -decay cosine", "alone, since the student has 48 columns and the teacher 384", 0.2, 0.3},
		{"layered", "-grams 3000 -layers 1 -width 32 -passes 6 -rate 0.004 -bits 8", "the cosine to", 0, 0.2},
		{"warm", "-passes 8 -rate 0.002 -bits 32 -decay none -from " + path("narrow"), "48 columns", 0.7, 0.01},
	} {
		args := append(strings.Fields(test.args), "-teacher", teacher, "-texts", texts, "-size", "tiny", "-batch", "32", "-points", "3", "-o", path(test.name))
		stdout, _ := program(t, t.Context(), command.Succeeded, "", args...)
		require.Contains(t, stdout, test.says)
		before := figure(t, stdout, "before", "rank agreement")
		require.Greater(t, before, test.from, test.name)
		require.Greater(t, figure(t, stdout, "after", "rank agreement"), before+test.rise, test.name)
	}
}

// A lexical lane cannot take a teacher's direction, whatever the columns.
func TestLosses(t *testing.T) {
	config := shape{}.architecture("tiny", 128)
	require.True(t, aligned(config, 128))
	config.Lexical = &model.Lexical{Columns: 256}
	for _, columns := range []int{128, 384} {
		l, says := losses(config, columns)
		require.Equal(t, &train.Losses{Similarity: 5}, l)
		require.Contains(t, says, "a lexical lane")
	}
}

func TestRefusals(t *testing.T) {
	enough := write(t, "enough.txt", []byte(sentences(120)))
	teacher := write(t, "teacher.safetensors", words.Checkpoint())
	taken := write(t, "taken.vectors", []byte("something that is not a cache"))
	folder := t.TempDir()
	good := []string{"-teacher", teacher, "-texts", enough, "-o", filepath.Join(folder, "out.safetensors")}
	with := func(more ...string) []string { return append(append([]string(nil), good...), more...) }
	for name, test := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"nothing":        {nil, command.Misused, "name a teacher"},
		"an argument":    {with("lines.txt"), command.Misused, `"lines.txt" is no flag`},
		"a size":         {with("-size", "huge"), command.Misused, "use one of base, large, small, tiny"},
		"sizes of both":  {with("-from", teacher, "-width", "8"), command.Misused, "has the sizes of that"},
		"bits":           {with("-bits", "5"), command.Misused, "use 4, 8, 16 or 32"},
		"a decay":        {with("-decay", "fast"), command.Misused, "linear, cosine or none"},
		"an ending":      {with("-o", "x.svg"), command.Misused, "use another ending"},
		"noise":          {with("-noise", "2"), command.Misused, "not a share"},
		"a model's name": {with("-teacher-model", "x"), command.Misused, "goes with the address"},
		"an address":     {[]string{"-teacher", "http://localhost/v1", "-texts", enough}, command.Misused, "goes with the address"},
		"few lines":      {with("-texts", write(t, "few.txt", []byte(sentences(99)))), command.Failed, "99 different lines are too few"},
		"no lines":       {with("-texts", filepath.Join(folder, "none")), command.Failed, "no such file"},
		"not UTF-8":      {with("-texts", write(t, "bad.txt", []byte("a\n\xff\n"))), command.Failed, "line 2 is not UTF-8"},
		"a long line":    {with("-texts", write(t, "long.txt", bytes.Repeat([]byte("a"), mostLine+1))), command.Failed, "line 1 is longer"},
		"no teacher":     {with("-teacher", filepath.Join(folder, "none")), command.Failed, "the teacher: "},
		"no checkpoint":  {with("-from", enough), command.Failed, "safetensors"},
		"no score":       {with("-sts", enough), command.Failed, "fields with tabs"},
		"an input":       {with("-o", enough), command.Failed, "would be replaced"},
		"no folder":      {with("-o", filepath.Join(folder, "none", "x")), command.Failed, "no such file"},
		"heads":          {with("-layers", "1", "-heads", "7"), command.Misused, "heads: 7"},
		"another's file": {with("-o", strings.TrimSuffix(taken, ".vectors")), command.Failed, "no file of a teacher's vectors"},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr := program(t, t.Context(), test.status, "", test.args...)
			require.Contains(t, stderr, test.says)
		})
	}
}

func TestHelpBeginsWithWhatItDoes(t *testing.T) {
	_, stderr := program(t, t.Context(), command.Succeeded, "", "-h")
	require.True(t, strings.HasPrefix(stderr, "Distill teaches a small byte model what a teacher model says.\n"), stderr)
}

// A run that was interrupted is not continued with other options.
func TestAnotherRunIsNotContinued(t *testing.T) {
	teacher := write(t, "teacher.safetensors", words.Checkpoint())
	lines := sentences(120)
	out := filepath.Join(t.TempDir(), "out.safetensors")
	args := []string{"-teacher", teacher, "-texts", "-", "-size", "tiny", "-grams", "1000", "-passes", "2", "-o", out}
	ctx, stop := context.WithCancel(t.Context())
	heard := &listener{at: "step ", stop: stop}
	require.Equal(t, command.Interrupted, run(ctx, args, command.Streams{In: strings.NewReader(lines), Out: io.Discard, Err: heard}))
	_, stderr := program(t, t.Context(), command.Failed, lines, append(args, "-seed", "2")...)
	require.Contains(t, stderr, "interrupted run with other texts or options")
}
