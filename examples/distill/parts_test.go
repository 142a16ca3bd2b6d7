package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/engine/train"
)

func TestSplit(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(sentences(2000)), "\n")
	copies := len(lines)
	for _, line := range lines[:500] {
		lines = append(lines, strings.ToUpper(line)+"!")
	}
	l, err := split(lines, []string{"the, " + strings.TrimPrefix(lines[600], "The ")}, 3)
	require.NoError(t, err)
	require.Len(t, l.held, (copies-1)/20)
	require.Equal(t, len(lines), len(l.held)+len(l.learned)+l.dropped)
	kept := map[string]bool{keyOf(lines[600]): true}
	for _, text := range l.held {
		kept[keyOf(text)] = true
	}
	for _, text := range l.learned {
		require.False(t, kept[keyOf(text)], text)
	}
	again, err := split(lines, nil, 3)
	require.NoError(t, err)
	other, err := split(lines, nil, 4)
	require.NoError(t, err)
	require.NotEqual(t, again.held, other.held)
	require.Equal(t, "!?", keyOf("!?"))
}

func TestReadLines(t *testing.T) {
	lines, err := scanLines(strings.NewReader("one\r\n\n two\n \t\none\nÅngström"), "-")
	require.NoError(t, err)
	require.Equal(t, []string{"one", " two", "Ångström"}, lines)
}

func TestNoiseFlag(t *testing.T) {
	var n noise
	require.NoError(t, n.UnmarshalText([]byte("0.25")))
	require.Equal(t, train.Noise{Typos: 0.25, Case: 0.25, Punctuation: 0.25}, n.Noise)
	require.NoError(t, n.UnmarshalText([]byte("typos=0.5,punctuation=1")))
	require.Equal(t, train.Noise{Typos: 0.5, Punctuation: 1}, n.Noise)
	text, err := n.MarshalText()
	require.NoError(t, err)
	require.Equal(t, "typos=0.5,case=0,punctuation=1", string(text))
	for _, bad := range []string{"", "2", "-1", "NaN", "typos", "typos=x", "spaces=1", "typos=1,,case=1"} {
		require.Error(t, n.UnmarshalText([]byte(bad)), bad)
	}
}

func TestRateOf(t *testing.T) {
	p := plan{Rate: 2, Warmup: 0.1, Decay: "linear"}
	require.InDelta(t, 0.2, p.rateOf(0, 100), 1e-12)
	require.InDelta(t, 2, p.rateOf(9, 100), 1e-12)
	require.InDelta(t, 1, p.rateOf(55, 100), 1e-12)
	require.InDelta(t, 2*lowest, p.rateOf(99, 100), 1e-12)
	p.Decay = "cosine"
	require.InDelta(t, 2, p.rateOf(10, 100), 1e-12)
	require.InDelta(t, 2*(lowest+(1-lowest)/2), p.rateOf(55, 100), 1e-12)
	require.InDelta(t, 2*lowest, p.rateOf(100, 100), 1e-12)
	p.Decay = "none"
	require.InDelta(t, 2, p.rateOf(99, 100), 1e-12)
	p.Warmup = 0
	require.InDelta(t, 2, p.rateOf(0, 100), 1e-12)
}

// The values are scipy.stats.spearmanr's.
func TestSpearman(t *testing.T) {
	require.InDelta(t, 1, spearman([]float64{1, 2, 3}, []float64{-5, 0, 100}), 1e-12)
	require.InDelta(t, -1, spearman([]float64{1, 2, 3}, []float64{3, 2, 1}), 1e-12)
	require.InDelta(t, 0.6578947368421053, spearman([]float64{1, 2, 2, 3, 5}, []float64{2, 1, 2, 7, 3}), 1e-12)
	require.Zero(t, spearman([]float64{1, 1}, []float64{1, 2}))
}

// counting is a teacher whose vectors show the text, and that counts what it is asked.
type counting struct {
	asked int
	turn  float32
	fails int // the batch that fails, from 1; 0 for none
	calls int
	wide  int
}

func (c *counting) embed(_ context.Context, texts []string) ([][]float32, error) {
	if c.calls++; c.calls == c.fails {
		return nil, errors.New("the teacher is tired")
	}
	var rows [][]float32
	for _, text := range texts {
		c.asked++
		row := make([]float32, 2+c.wide)
		row[0], row[1] = float32(len(text)), 3+c.turn
		rows = append(rows, row)
	}
	return rows, nil
}

func (c *counting) batch() int { return 2 }

func (c *counting) close() error { return nil }

func TestCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.vectors")
	texts := []string{"a", "bb", "ccc", "dddd", "eeeee"}
	ask := func(c *counting, texts ...string) (*vectors, error) {
		return teach(t.Context(), c, path, texts, func(int, int) {})
	}
	tired := &counting{fails: 3} // the first call is for the probe
	_, err := ask(tired, texts...)
	require.ErrorContains(t, err, "tired")

	// Only what is missing is asked for, whatever the order of texts.
	c := &counting{}
	v, err := ask(c, "eeeee", "dddd", "ccc", "bb", "a", "ffffff")
	require.NoError(t, err)
	require.Equal(t, 1+4, c.asked, "the probe and what was missing")
	row := make([]float32, 2)
	v.row(row, 1)
	require.InDeltaSlice(t, []float32{0.8, 0.6}, row, 1e-3)

	// A cut file loses what was cut, of a record or of the header.
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, test := range []struct{ size, asked int }{{len(file) - 1, 2}, {len(file) - 20, 2}, {len(file) - 21, 3}, {5, 7}, {0, 7}} {
		require.NoError(t, os.WriteFile(path, file[:test.size], 0o600))
		c := &counting{}
		_, err := ask(c, append(texts, "ffffff")...)
		require.NoError(t, err, test.size)
		require.Equal(t, test.asked, c.asked, test.size)
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Len(t, again, len(file))
	}

	_, err = ask(&counting{turn: 40}, texts...)
	require.ErrorContains(t, err, "of another teacher")
	_, err = ask(&counting{wide: 1}, texts...)
	require.ErrorContains(t, err, "another width")
	_, err = ask(&counting{turn: -3}, texts[:1]...)
	require.ErrorContains(t, err, "another teacher")
	damaged := append([]byte(nil), file...)
	damaged[len(damaged)-1] = 0x7C
	require.NoError(t, os.WriteFile(path, damaged, 0o600))
	_, err = ask(&counting{}, append(texts, "ffffff")...)
	require.ErrorContains(t, err, "damaged")
}

func TestUnit(t *testing.T) {
	row := make([]float32, 2)
	require.NoError(t, unit(row, []float32{3e30, 4e30}, ""))
	require.InDeltaSlice(t, []float32{0.6, 0.8}, row, 1e-6)
	require.ErrorContains(t, unit(row, []float32{0, 0}, strings.Repeat("é", 99)), "has length 0: leave the line out")
}

// Names of lines that end at one height stand apart, and ticks are few and round.
func TestDrawing(t *testing.T) {
	curve := []point{{0, 0, figures{-0.1, 0.2, 0.2}}, {10, 1.5, figures{0.5, 0.5, 0.5}}}
	svg := drawing(curve, &judge{aligned: true, scored: make([]scored, 2)})
	checkDrawing(t, svg, "cosine", "rank agreement", "STS", "loss")
	at := places([]line{{values: []float64{0.5}}, {values: []float64{0.5}}, {values: []float64{0.51}}}, func(v float64) float64 { return 300 - 300*v })
	for i := range at {
		for k := range i {
			require.GreaterOrEqual(t, max(at[i]-at[k], at[k]-at[i]), 14.0)
		}
	}
	for size, want := range map[float64]float64{1: 0.2, 0.9: 0.1, 3: 0.5, 0.02: 0.01 / 2} {
		require.InDelta(t, want, ticks(size), 1e-9, size)
	}
}
