package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
	"github.com/unum-cloud/uform-go/uform/words"
)

// ran is what one run of the program left.
type ran struct {
	status         int
	stdout, stderr string
}

func choose(t *testing.T, args ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), args, command.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return ran{status, stdout.String(), stderr.String()}
}

// answer is one line of an answer.
type answer struct {
	choice  string
	percent float64
	best    bool
}

var answerLine = regexp.MustCompile(`(?m)^ ([* ]) (\S) +(\d+\.\d\d)% (#*)$`)

// answers returns those of a run, question by question. Each question's must be whole.
func answers(t *testing.T, args ...string) (all [][]answer) {
	t.Helper()
	got := choose(t, args...)
	require.Equal(t, 0, got.status, got.stderr)
	for block := range strings.SplitSeq(got.stdout, "\n\n") {
		var item []answer
		sum, most, bests := 0.0, 0.0, 0
		for _, match := range answerLine.FindAllStringSubmatch(block, -1) {
			percent, err := strconv.ParseFloat(match[3], 64)
			require.NoError(t, err)
			item = append(item, answer{match[2], percent, match[1] == "*"})
			sum, most = sum+percent, max(most, percent)
			require.InDelta(t, percent*30/100, len(match[4]), 0.51, "the bar is as long as the number")
		}
		if item == nil {
			continue
		}
		for _, a := range item {
			if a.best {
				bests++
				require.Equal(t, most, a.percent)
			}
		}
		require.Equal(t, 1, bests, block)
		require.InDelta(t, 100, sum, 0.05, block)
		all = append(all, item)
	}
	return all
}

func choices(item []answer) (text string) {
	for _, a := range item {
		text += a.choice
	}
	return text
}

func TestSamplesAreAllAnswered(t *testing.T) {
	got := answers(t)
	require.Len(t, got, len(samples))
	for i, q := range samples {
		require.Equal(t, q.choices, choices(got[i]))
	}
}

// The samples are questions that the embedded model knows.
func TestSamplesAreAnsweredRight(t *testing.T) {
	for i, right := range []string{"Y", "N", "B", "C"} {
		for _, a := range answers(t)[i] {
			require.Equal(t, a.choice == right, a.best, samples[i].text)
		}
	}
}

func TestOwnQuestion(t *testing.T) {
	const text = "Is water wet? Answer: "
	got := answers(t, "-text", text, "-choices", "NYM")
	require.Len(t, got, 1)
	require.Equal(t, "NYM", choices(got[0]))
	require.Contains(t, choose(t, "-text", text).stdout, text+"\n")

	turned := answers(t, "-choices", "MYN", "-text", text)
	require.Equal(t, "MYN", choices(turned[0]), "choices are answered in their order")
	for i, a := range got[0] {
		require.Equal(t, a, turned[0][2-i], "and their order changes nothing else")
	}
	require.Equal(t, "YN", choices(answers(t, "-text", text)[0]))
	require.Equal(t, []answer{{"Z", 100, true}}, answers(t, "-text", "", "-choices", "Z")[0], "no text and no choice is one, too")
}

func TestQuestionsOfStandardInput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	in := strings.NewReader("Is it food, Y or N? hammer\n\nIs it food, Y or N? bread\n")
	status := run(t.Context(), []string{"-"}, command.Streams{In: in, Out: &stdout, Err: &stderr})
	require.Equal(t, command.Succeeded, status, stderr.String())
	require.Contains(t, stdout.String(), choose(t, "-text", "Is it food, Y or N? hammer").stdout)
	require.Contains(t, stdout.String(), choose(t, "-text", "Is it food, Y or N? bread").stdout)
}

func TestTypeOneIsSurer(t *testing.T) {
	path := file(t, mini.Checkpoint())
	plain, sure := answers(t, "-model", path, "-type", "0"), answers(t, "-model", path, "-type", "1")
	for i := range plain {
		for j, a := range plain[i] {
			require.Equal(t, a.best, sure[i][j].best)
			if a.best {
				require.Greater(t, sure[i][j].percent, a.percent)
			}
		}
	}
}

func TestALongTextLosesItsHead(t *testing.T) {
	path := file(t, mini.Checkpoint())
	tail := strings.Repeat("x", 1014) + " Answer: Y" // that model's context
	require.Equal(t, answers(t, "-model", path, "-text", tail), answers(t, "-model", path, "-text", "Completely different. "+tail))
	require.NotEqual(t, answers(t, "-model", path, "-text", tail),
		answers(t, "-model", path, "-text", strings.Repeat("y", 1014)+" Answer: Y"))
}

// file stores a checkpoint.
func file(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func TestModelFromAPath(t *testing.T) {
	got := choose(t, "-model", file(t, words.Checkpoint()))
	require.Equal(t, 0, got.status, got.stderr)
	require.Equal(t, choose(t).stdout, got.stdout)
	require.NotEqual(t, got.stdout, choose(t, "-model", file(t, mini.Checkpoint())).stdout)
}

// mute returns a model that encodes and cannot choose.
func mute(t *testing.T) []byte {
	values := make([]float32, 512)
	values[0] = 1
	var out bytes.Buffer
	require.NoError(t, model.Write(&out, &model.Config{Modalities: []string{"text"}, Context: 8, Width: 2, Columns: 2}, []model.Tensor{
		model.FloatTensor("bytes", values, 256, 2),
		model.FloatTensor("projection", values[:4], 2, 2),
		model.FloatTensor("empty", values[:2], 2),
	}))
	return out.Bytes()
}

func TestFaults(t *testing.T) {
	for name, test := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"a choice twice":      {[]string{"-text", "x", "-choices", "YY"}, 1, "item 0: invalid argument"},
		"no choices":          {[]string{"-text", "x", "-choices", ""}, 1, "item 0: invalid argument"},
		"no such type":        {[]string{"-type", "7"}, 1, "item 0: invalid argument"},
		"no type":             {[]string{"-type", "yes"}, 2, "use a number from 0"},
		"a negative type":     {[]string{"-type", "-1"}, 2, "-type"},
		"choices of several":  {[]string{"-text", "x", "-choices", "Yé"}, 2, "ASCII"},
		"choices alone":       {[]string{"-choices", "ab"}, 2, "-text"},
		"an argument":         {[]string{"Is it?"}, 1, "no such file or directory: pass a question as -text"},
		"two ways to ask":     {[]string{"-text", "x", "-"}, 2, "not both"},
		"no questions":        {[]string{"-"}, 1, "there are no questions in -"},
		"invalid text":        {[]string{"-text", "\xff"}, 1, "item 0: malformed"},
		"an invalid line":     {[]string{file(t, []byte("good\n\nbad \xff\n"))}, 1, "model.safetensors:3: the line is not UTF-8"},
		"help":                {[]string{"-h"}, 0, "-choices"},
		"missing model":       {[]string{"-model", filepath.Join(t.TempDir(), "absent")}, 1, "absent"},
		"a model without one": {[]string{"-model", file(t, mute(t))}, 1, "no byte decoder"},
	} {
		got := choose(t, test.args...)
		require.Equal(t, test.status, got.status, "%s: %s", name, got.stderr)
		require.Contains(t, got.stderr, test.says, name)
	}
}

func TestOriginIsTold(t *testing.T) {
	library, err := uform.Open(nil)
	require.NoError(t, err)
	require.Contains(t, choose(t).stderr, library.Origin().String())
}
