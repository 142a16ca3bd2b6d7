package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var measured = []row{
	{shape{6, 384}, load{1, 64, false}, 1, []float64{0.008, 0.004, 0.003, 0.001}, []float64{0.4, 0.8, 0.9, 1.9}, []float64{1, 0.99999, 0.9995}},
	{shape{12, 768}, load{16, 128, true}, 2, []float64{0.9, 0.3, 0.25, 0.1}, []float64{0.3, 0.9, 0.9, 2}, []float64{1, 0.99999, 0.9996}},
}

func TestTables(t *testing.T) {
	var out strings.Builder
	writeEncoders(&out, measured)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	require.Equal(t, "| 6 × 384 | 1 × 64 | 1 | 8.0 ms | 2.00× | 2.67× | 8.00× | 80 % | 0.9995 |", lines[2])
	require.Contains(t, lines[3], "| 16 × up to 128 | 2 | 900.0 ms | 3.00×")
	out.Reset()
	writeProducts(&out, []product{{64, 384, 1536, []float64{0.96, 0.97, 2, 0.8, 0.1, 0.05}, 0.89}})
	require.Contains(t, out.String(), "| 64 × 384 × 1536 | 96 % | 97 % | 200 % | 80 % | 10 % | 5 % | 89 % |")
	for line := range strings.Lines(out.String()) {
		require.Equal(t, 3+len(productNames), strings.Count(line, "|"))
	}
}

func TestTablesOfFolders(t *testing.T) {
	rows := []tokenRow{
		{load: tokenLoad{32, 0, 1}, threads: 1, longest: 30, sum: 480, theirs: [2]float64{0.75, 0.375}, ours: []float64{0.25, 0.375, 0.125}, hugot: 2, theirI8: 0.98, cosine: []float64{1, 0.9999, 0.997}},
		{load: tokenLoad{1, 16, 0}, threads: 2, longest: 16, sum: 16, theirs: [2]float64{0.75, 0.375}, ours: []float64{0.25, 0.375, 0.125}, theirI8: 0.98, cosine: []float64{1, 0.9999, 0.997}},
	}
	var out strings.Builder
	writeFolders(&out, rows)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	require.Equal(t, "| 32 sentences | 50 % | 1 | 750.0 ms | 3.00× | 2.00× | 375.0 ms | 3.00× | 2000 ms | 1.000000 | 0.9970 | 0.9800 |", lines[2])
	require.Contains(t, lines[3], "| 1 × 16 | 0 % | 2 |")
	require.Contains(t, lines[3], "| – |")
	for _, line := range lines {
		require.Equal(t, 13, strings.Count(line, "|"))
	}
	require.Equal(t, []bars{{"32 sentences", []float64{3, 2, 3}}}, folderBars(rows))
	out.Reset()
	writeFolderCosts(&out, []folderCost{{title: "f32", seconds: 0.08, megabytes: 55}})
	require.Contains(t, out.String(), "16 × 128")
	require.Contains(t, out.String(), "| f32 | 80 ms | 55 MB |")
}

func TestChartIsXML(t *testing.T) {
	drawn := chart("speeds", encoderBars(measured))
	decoder := xml.NewDecoder(strings.NewReader(drawn))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	require.Equal(t, 1+2*len(kinds), strings.Count(drawn, "<rect"), "a ground, a legend, and bars of one thread alone")
	require.Contains(t, drawn, ">8.0×<", "a bar that is cut is told")
}

func TestWriteKeepsThePage(t *testing.T) {
	t.Chdir(t.TempDir())
	page := "page.md"
	require.NoError(t, os.WriteFile(page, []byte("a\n<!-- bench:one -->\nold\n<!-- /bench:one -->\nb\n"), 0o644))
	require.NoError(t, write(page, "one", "new\n"))
	told, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, "a\n<!-- bench:one -->\nnew\n<!-- /bench:one -->\nb\n", string(told))
	require.ErrorContains(t, write(page, "two", "new\n"), "bench:two")
	require.NoError(t, writeChart(page, picture, "<svg/>"))
	drawn, err := os.ReadFile(picture)
	require.NoError(t, err)
	require.Equal(t, "<svg/>", string(drawn))
}

func TestAlternate(t *testing.T) {
	var order []int
	medians := alternate(2, 3, time.Nanosecond, []func(){func() { order = append(order, 0); time.Sleep(time.Millisecond) }, func() { order = append(order, 1); time.Sleep(time.Millisecond) }})
	counted := map[int]int{}
	for _, run := range order {
		counted[run]++
	}
	for run, count := range counted {
		require.GreaterOrEqual(t, count, 3*2, "a turn of %d has a run that settles and one that counts", run)
	}
	require.Equal(t, []int{0, 1, 0, 1, 0, 1}, slices.Compact(order))
	require.Len(t, medians, 2)
	require.GreaterOrEqual(t, medians[1], 0.001)
}

func TestBatch(t *testing.T) {
	for _, ragged := range []bool{false, true} {
		texts := batch(9, 32, ragged)
		require.Len(t, texts, 9)
		shorter := 0
		for _, text := range texts {
			require.LessOrEqual(t, len(text), 32)
			require.NotEmpty(t, text)
			if len(text) < 32 {
				shorter++
			}
		}
		require.Equal(t, ragged, shorter > 0)
		require.Len(t, texts[0], 32, "one is as long as said")
	}
	require.Equal(t, 24.0*64*64*10+4*100*64, shape{1, 64}.operations([]string{"0123456789"}))
}

// A quadratic time is fitted by its own two terms.
func TestParabola(t *testing.T) {
	sizes, seconds := []float64{16, 64, 1024, 32768}, []float64{}
	for _, n := range sizes {
		seconds = append(seconds, 3e-6*n+5e-9*n*n)
	}
	linear, quadratic := parabola(sizes, seconds)
	require.InEpsilon(t, 3e-6, linear, 1e-6)
	require.InEpsilon(t, 5e-9, quadratic, 1e-6)
}

func TestGrams(t *testing.T) {
	require.Equal(t, 5, grams("abc", []int{3, 4}), "of the five bytes of the word between its spaces three and two")
	require.Equal(t, 1+3, grams("a abc", []int{3}))
	require.Zero(t, grams("a", []int{4}))
}

func TestTablesOfParts(t *testing.T) {
	var out strings.Builder
	writeShipped(&out, bagOfWords{each: 4e-6, floors: []float64{2e-6, 1e-6, 4e-7}, rows: 300, signs: 150})
	require.Contains(t, out.String(), "| the product of 128 × 192, alone | 0.40 µs | 10 % |\n| the rest: hashes, sums in f64, checks | 0.60 µs | 15 % |")
	out.Reset()
	writeMoods(&out, []moodRow{{load: load{1, 16, false}, pause: time.Millisecond, wall: [2]float64{0.004, 0.002}, spent: [2]float64{0.003, 0.005}}})
	require.Contains(t, out.String(), "| 1 × 16 | 1ms | 4.0 ms · 3.0 ms | 2.0 ms · 5.0 ms | 2.00× |")
}
