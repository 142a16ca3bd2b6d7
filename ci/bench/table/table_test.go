package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const printed = `goos: linux
BenchmarkBlockingNothing/loop-in-C-2 	  100	  4.5 ns/op	  1.5 cpu-ns/op	  0 B/op	  0 allocs/op
BenchmarkBlockingModel 	  100	  20 ns/op
--- BENCH: BenchmarkBlockingModel
PASS
`

func TestRead(t *testing.T) {
	all := make(samples)
	require.NoError(t, all.read("", printed))
	require.NoError(t, all.read("", strings.ReplaceAll(printed, "1.5", "3.5")))
	require.Equal(t, samples{
		"BlockingNothing/loop-in-C": {"ns/op": {4.5, 4.5}, "cpu-ns/op": {1.5, 3.5}, "B/op": {0, 0}, "allocs/op": {0, 0}},
		"BlockingModel":             {"ns/op": {20, 20}},
	}, all)
	require.NoError(t, all.read(portable, "BenchmarkBlockingModel 	  100	  30 ns/op"))
	require.Equal(t, map[string][]float64{"ns/op": {30}}, all["PortableBlockingModel"])
	require.ErrorContains(t, all.read("", "BenchmarkX 1 many ns/op"), "many")
}

func TestMedian(t *testing.T) {
	all := samples{"one": {"u": {7}}, "odd": {"u": {9, 1, 2}}, "even": {"u": {4, 1, 2, 100}}}
	for name, want := range map[string]float64{"one": 7, "odd": 2, "even": 3} {
		got, err := all.median(name, "u")
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	require.Equal(t, []float64{9, 1, 2}, all["odd"]["u"], "left in order")
	_, err := all.median("odd", "v")
	require.ErrorContains(t, err, "v of odd")
	_, err = all.median("none", "u")
	require.Error(t, err)
}

// A table with a missing value is an error, not a table of zeros.
func TestRenderWantsEveryValue(t *testing.T) {
	all := make(samples)
	require.NoError(t, all.read("", printed))
	_, err := render(all, "")
	require.ErrorContains(t, err, "BlockingDescribe/loop-in-C")
}

func TestInsert(t *testing.T) {
	page := "a\n" + opening + "old\n" + closing + "\nb\n"
	got, err := insert(page, "new\n")
	require.NoError(t, err)
	require.Equal(t, "a\n"+opening+"new\n"+closing+"\nb\n", got)
	again, err := insert(got, "new\n")
	require.NoError(t, err)
	require.Equal(t, got, again)
	for _, wrong := range []string{"", opening, closing, closing + "\n" + opening} {
		_, err := insert(wrong, "new\n")
		require.ErrorContains(t, err, "bench:binding")
	}
}

func TestCount(t *testing.T) {
	for want, value := range map[string]float64{"0": 0, "999": 999.4, "1,000": 999.5, "12,345": 12345, "1,234,567": 1234567} {
		require.Equal(t, want, count(value))
	}
	require.Equal(t, "1.4 ns", nanoseconds(1.42))
	require.Equal(t, "28 ns", nanoseconds(28.4))
	require.Equal(t, "999 µs", microseconds(999))
	require.Equal(t, "1.3 ms", microseconds(1322))
	require.Equal(t, "1.2 s", microseconds(1_177_000))
}
