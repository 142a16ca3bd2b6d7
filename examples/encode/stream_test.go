package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

func TestOrderIsKept(t *testing.T) {
	path := small(t)
	lines := make([]string, 10_000)
	for i := range lines {
		lines[i] = "line " + strconv.Itoa(i)
	}
	want := embed(t, path, lines)
	for i := range want[1:] {
		require.NotEqual(t, want[i], want[i+1], "the model must tell neighbours apart for this test to mean anything")
	}
	for _, batch := range []string{"1", "37", "4096", "100000"} {
		if batch == "1" {
			lines, want = lines[:500], want[:500]
		}
		got := succeeds(t, strings.Join(lines, "\n"), "-model", path, "-batch", batch)
		requireSame(t, want, parsed(t, "tsv", got))
	}
}

// heap is an output that watches the heap and keeps nothing.
type heap struct {
	writes, lines int
	most          uint64
}

func (h *heap) Write(p []byte) (int, error) {
	h.lines += bytes.Count(p, []byte("\n"))
	if h.writes++; h.writes%64 == 0 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		h.most = max(h.most, stats.HeapInuse)
	}
	return len(p), nil
}

// TestMemoryIsBounded streams more than 40 MB of lines, whose vectors take 51 MB as floats and far
// more as text, through a heap that must not grow by 16 MB.
func TestMemoryIsBounded(t *testing.T) {
	const count, bound = 200_000, 16 << 20
	path := small(t)
	reading, writing := io.Pipe()
	go func() {
		out := bufio.NewWriter(writing)
		for i := range count {
			fmt.Fprintf(out, "line %d %s\n", i, strings.Repeat("x", 200))
		}
		out.Flush()
		writing.Close()
	}()
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var out heap
	var stderr bytes.Buffer
	require.Equal(t, command.Succeeded, run(t.Context(), []string{"-model", path}, command.Streams{In: reading, Out: &out, Err: &stderr}), stderr.String())
	require.Equal(t, count, out.lines)
	require.Greater(t, out.writes, 64)
	require.Less(t, out.most, before.HeapInuse+bound)
	require.Contains(t, stderr.String(), "200000 of 200000 lines were longer")
}

func TestVectorsComeBeforeTheInputEnds(t *testing.T) {
	path := small(t)
	lines, typing := io.Pipe()
	vectors, out := io.Pipe()
	done := make(chan int)
	go func() {
		done <- run(t.Context(), []string{"-model", path}, command.Streams{In: lines, Out: out, Err: io.Discard})
	}()
	answers := bufio.NewReader(vectors)
	for _, line := range []string{"one\n", "two\n", "three\n"} {
		_, err := typing.Write([]byte(line))
		require.NoError(t, err)
		answer, err := answers.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, succeeds(t, line, "-model", path), answer)
	}
	require.NoError(t, typing.Close())
	require.Equal(t, command.Succeeded, <-done)
}

// endless is an input that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "never ending lines\n"[i%19]
	}
	return len(p) - len(p)%19, nil
}

// stopping cancels once it was written to.
type stopping struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (s *stopping) Write(p []byte) (int, error) {
	defer s.cancel()
	return s.Buffer.Write(p)
}

func TestInterruptLeavesWholeVectors(t *testing.T) {
	path := small(t)
	for _, format := range []string{"tsv", "jsonl"} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &stopping{cancel: cancel}
		var stderr bytes.Buffer
		status := run(ctx, []string{"-model", path, "-format", format, "-batch", "100"}, command.Streams{In: endless{}, Out: out, Err: &stderr})
		require.Equal(t, command.Interrupted, status, stderr.String())
		require.Contains(t, stderr.String(), "encode: interrupted\n")
		for _, vector := range parsed(t, format, out.String()) {
			require.Len(t, vector, smallColumns)
		}
	}
}

func TestInterruptEndsABlockedRead(t *testing.T) {
	path := small(t)
	lines, typing := io.Pipe()
	defer typing.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"-model", path, "-format", "npy"}, command.Streams{In: lines, Out: &out, Err: io.Discard})
	}()
	_, err := typing.Write([]byte("one\ntwo\n"))
	require.NoError(t, err)
	cancel()
	require.Equal(t, command.Interrupted, <-done)
	require.LessOrEqual(t, len(parsedArray(t, out.Bytes())), 2)
}

// asProgram is set where the test binary is to be the program.
const asProgram = "ENCODE_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("this system cannot send a process an interrupt")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	program := exec.Command(self, "-model", small(t))
	program.Env = append(os.Environ(), asProgram+"=1")
	var stderr bytes.Buffer
	program.Stderr = &stderr
	lines, err := program.StdinPipe()
	require.NoError(t, err)
	defer lines.Close()
	vectors, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	_, err = lines.Write([]byte("one\ntwo\n"))
	require.NoError(t, err)
	read := bufio.NewReader(vectors)
	for range 2 {
		_, err := read.ReadString('\n')
		require.NoError(t, err)
	}
	require.NoError(t, program.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(read)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.Error(t, program.Wait())
	require.Equal(t, command.Interrupted, program.ProcessState.ExitCode(), stderr.String())
}
