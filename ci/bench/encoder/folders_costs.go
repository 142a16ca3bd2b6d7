package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/unum-cloud/uform-go/ci/bench/onnx"
	"github.com/unum-cloud/uform-go/uform"
)

// heldLoad is the batch of a process whose memory is measured.
var heldLoad = tokenLoad{count: 16, tokens: 128}

// folderCost is what MiniLM costs a process of its own.
type folderCost struct {
	way, title string
	seconds    float64 // of loading, the median
	megabytes  int     // at most, beyond what it had before
}

// folderWays are the processes, by the name that -hold takes.
var folderWays = []folderCost{
	{way: "onnx-f32", title: "ONNX Runtime, f32"}, {way: "f32", title: "f32"}, {way: "bf16", title: "bf16"},
	{way: "onnx-int8", title: "ONNX Runtime, int8"}, {way: "i8", title: "i8"},
}

// folderCosts runs each way in rounds processes, in turn.
func folderCosts(ort string, rounds int) ([]folderCost, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	costs := slices.Clone(folderWays)
	times := make([][]float64, len(costs))
	for range rounds {
		for i := range costs {
			c := &costs[i]
			told, err := exec.Command(self, "-hold", c.way, "-ort", ort).Output()
			if err != nil {
				return nil, fmt.Errorf("run %s: %w", c.way, err)
			}
			var seconds float64
			if _, err := fmt.Sscan(string(told), &seconds, &c.megabytes); err != nil {
				return nil, fmt.Errorf("%s prints %q: %w", c.way, told, err)
			}
			times[i] = append(times[i], seconds)
		}
	}
	for i := range costs {
		slices.Sort(times[i])
		costs[i].seconds = times[i][rounds/2]
	}
	return costs, nil
}

func writeFolderCosts(out io.Writer, costs []folderCost) {
	fmt.Fprintf(out, "| %s | loading, warm disk | memory at most, %v |\n| --- | --: | --: |\n", minilm, heldLoad)
	for _, c := range costs {
		fmt.Fprintf(out, "| %s | %.0f ms | %d MB |\n", c.title, 1e3*c.seconds, c.megabytes)
	}
}

// holdFolder loads MiniLM in one way, encodes a batch, and prints the seconds that loading took and
// the process's peak memory in MB, minus what it had before. Both ways get the same texts, ONNX
// Runtime as ids.
func holdFolder(way, ort string) error {
	models, err := modelsFolder()
	if err != nil {
		return err
	}
	texts, ids, err := heldTexts()
	if err != nil {
		return err
	}
	before, err := forget()
	if err != nil {
		return err
	}
	var took time.Duration
	switch way {
	case "onnx-f32":
		took, err = holdBERT(filepath.Join(models, foreignFiles[0]), ort, ids)
	case "onnx-int8":
		took, err = holdBERT(filepath.Join(models, foreignFiles[1]), ort, ids)
	default:
		took, err = holdModel(filepath.Join(models, minilm), way, texts)
	}
	if err != nil {
		return err
	}
	after, err := status("VmHWM:")
	fmt.Printf("%.4f %d\n", took.Seconds(), (after-before)>>10)
	return err
}

// heldTexts returns texts of the held load, and their ids. Each word is one token, of the word the.
func heldTexts() (texts []string, ids [][]int32, err error) {
	const begin, the, end = 101, 1996, 102 // of BERT's vocabulary
	for range heldLoad.count {
		text, tokens := "", []int32{begin}
		for range heldLoad.tokens - 2 {
			text, tokens = text+"the ", append(tokens, the)
		}
		texts, ids = append(texts, text), append(ids, append(tokens, end))
	}
	return texts, ids, nil
}

func holdBERT(path, ort string, ids [][]int32) (took time.Duration, err error) {
	library, err := onnx.Open(ort)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	session, err := library.NewBERT(path, 1, minilmWidth)
	if err != nil {
		return 0, err
	}
	took = time.Since(begin)
	return took, session.Run(onnx.PadTokens(ids), make([]float32, len(ids)*minilmWidth))
}

func holdModel(path, kind string, texts []string) (took time.Duration, err error) {
	at := slices.IndexFunc(kinds, func(k uform.Scalar) bool { return k.String() == kind })
	if at < 0 {
		return 0, fmt.Errorf("no way %q", kind)
	}
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return 0, err
	}
	executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 1, WithCaller: true})
	if err != nil {
		return 0, err
	}
	arena, err := library.NewArena(executor)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	model, err := library.Load(ctx, path, &uform.LoadOptions{Scalar: kinds[at]})
	if err != nil {
		return 0, err
	}
	took = time.Since(begin)
	_, err = model.On(executor).TextEncode(ctx, uform.Strings(texts), arena, nil)
	return took, err
}
