package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
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
	writeProducts(&out, []product{{64, 384, 1536, []float64{0.96, 0.97, 2, 0.8, 0.1}}})
	require.Contains(t, out.String(), "| 64 × 384 × 1536 | 96 % | 97 % | 200 % | 80 % | 10 % |")
	for line := range strings.Lines(out.String()) {
		require.Equal(t, 2+len(productNames), strings.Count(line, "|"))
	}
}

func TestChartIsXML(t *testing.T) {
	drawn := chart(measured)
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
	require.NoError(t, os.Mkdir("encoder", 0o755))
	page := "page.md"
	require.NoError(t, os.WriteFile(page, []byte("a\n"+opening+"old\n"+closing+"\nb\n"), 0o644))
	require.NoError(t, write(page, "new\n", "<svg/>"))
	told, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, "a\n"+opening+"new\n"+closing+"\nb\n", string(told))
	drawn, err := os.ReadFile(filepath.Join("encoder", picture))
	require.NoError(t, err)
	require.Equal(t, "<svg/>", string(drawn))
	require.NoError(t, os.WriteFile(page, []byte("no lines"), 0o644))
	require.ErrorContains(t, write(page, "new\n", ""), "bench:engine")
}

// What takes no time at all may run more than once in a round, so the first sleeps, too.
func TestAlternate(t *testing.T) {
	var order []int
	medians := alternate(2, 3, time.Nanosecond, []func(){func() { order = append(order, 0); time.Sleep(time.Millisecond) }, func() { order = append(order, 1); time.Sleep(time.Millisecond) }})
	require.Equal(t, []int{0, 1, 0, 1, 0, 1}, order)
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
