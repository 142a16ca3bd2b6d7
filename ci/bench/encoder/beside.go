package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unum-cloud/uform-go/uform"
)

// peerProcess is a program that makes embeddings of tokens, as ci/bench/candle describes it.
type peerProcess struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startPeer starts a command on one thread, with the folder of a model as its last argument.
func startPeer(command, folder string) (*peerProcess, error) {
	words := append(strings.Fields(command), folder)
	p := &peerProcess{command: exec.Command(words[0], words[1:]...)}
	p.command.Env = append(os.Environ(), "RAYON_NUM_THREADS=1", "OMP_NUM_THREADS=1")
	p.command.Stderr = os.Stderr
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	return p, p.command.Start()
}

// ask writes a line, and returns the one that answers it.
func (p *peerProcess) ask(line string) (string, error) {
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		return "", err
	}
	return p.out.ReadString('\n')
}

// encode returns the embeddings of texts of one length, and the seconds of processor time that they
// took.
func (p *peerProcess) encode(ids [][]int32) (seconds float64, embeddings []float32, err error) {
	line := strconv.Itoa(len(ids))
	for _, id := range slices.Concat(ids...) {
		line += " " + strconv.Itoa(int(id))
	}
	told, err := p.ask(line)
	if err != nil {
		return 0, nil, err
	}
	for i, word := range strings.Fields(told) {
		value, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return 0, nil, err
		}
		if i == 0 {
			seconds = value
		} else {
			embeddings = append(embeddings, float32(value))
		}
	}
	return seconds, embeddings, nil
}

// median encodes texts until it took so many seconds, and returns the median of the times.
func (p *peerProcess) median(ids [][]int32, least float64) (seconds float64, embeddings []float32, err error) {
	if _, _, err := p.encode(ids); err != nil { // warms up
		return 0, nil, err
	}
	var times []float64
	for total := 0.0; total < least; total += seconds {
		if seconds, embeddings, err = p.encode(ids); err != nil {
			return 0, nil, err
		}
		times = append(times, seconds)
	}
	slices.Sort(times)
	return times[len(times)/2], embeddings, nil
}

func (p *peerProcess) close() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.command.Wait()
}

// compareBeside measures the engine in f32 beside programs, one after the other in each round. A
// peer is its title and its command, with = between them.
func compareBeside(peers []string, rounds int, page string) error {
	b, err := loadFolder()
	if err != nil {
		return err
	}
	executor, err := b.library.NewExecutor(&uform.ExecutorOptions{Threads: 1, WithCaller: true})
	if err != nil {
		return err
	}
	arena, err := b.library.NewArena(executor)
	if err != nil {
		return err
	}
	on := b.loaded[0].On(executor)
	var report strings.Builder
	fmt.Fprintf(&report, "Medians of %d interleaved rounds, of processor time on one thread, on %s, %d cores, %s/%s, %s, %s.\n\n| texts × tokens |",
		rounds, processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), time.Now().Format(time.DateOnly))
	var processes []*peerProcess
	for _, peer := range peers {
		title, command, _ := strings.Cut(peer, "=")
		process, err := startPeer(command, filepath.Join(b.models, minilm))
		if err != nil {
			return fmt.Errorf("%s: %w", title, err)
		}
		processes = append(processes, process)
		fmt.Fprintf(&report, " %s, f32 | f32 | cosine |", title)
	}
	fmt.Fprintf(&report, "\n| --- |%s\n", strings.Repeat(" --: | --: | --: |", len(peers)))
	for _, l := range tokenLoads {
		if l.tokens == 0 {
			continue // the programs take texts of one length
		}
		texts, ids, err := b.texts(l)
		if err != nil {
			return err
		}
		encode := func() ([]float32, error) {
			encoded, err := on.TextEncode(ctx, uform.Strings(texts), arena, nil)
			if err != nil {
				return nil, err
			}
			var rows []float32
			for _, embedding := range encoded.Embeddings.All() {
				rows = append(rows, embedding...)
			}
			return rows, nil
		}
		got, err := encode()
		if err != nil {
			return err
		}
		theirs, ratios, nearest := make([][]float64, len(peers)), make([][]float64, len(peers)), make([]float64, len(peers))
		for range rounds {
			ours := alternate(1, 1, 50*time.Millisecond, []func(){func() { _, err = encode() }})[0]
			if err != nil {
				return err
			}
			for i, process := range processes {
				spent, vectors, err := process.median(ids, .05)
				if err != nil {
					return fmt.Errorf("%s: %w", peers[i], err)
				}
				nearest[i] = nearness(vectors, got)
				theirs[i], ratios[i] = append(theirs[i], spent), append(ratios[i], spent/ours)
			}
		}
		fmt.Fprintf(&report, "| %v |", l)
		for i := range peers {
			slices.Sort(theirs[i])
			slices.Sort(ratios[i])
			fmt.Fprintf(&report, " %.1f ms | %.2f× | %.6f |", 1e3*theirs[i][rounds/2], ratios[i][rounds/2], nearest[i])
		}
		report.WriteString("\n")
	}
	for i, process := range processes {
		if err := process.close(); err != nil {
			return fmt.Errorf("%s: %w", peers[i], err)
		}
	}
	return put(page, "beside", report.String())
}
