package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unum-cloud/uform-go/ci/bench/onnx"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/uform"
)

// The model of other people that is measured, in the folder of ci/models.sh.
const (
	minilm        = "all-MiniLM-L6-v2"
	minilmWidth   = 384
	sentencesFile = "../../internal/folder/testdata/minilm.txt"
)

// foreignFiles are the model's own files of ONNX, in f32 and with matrices of bytes.
var foreignFiles = [2]string{"all-MiniLM-L6-v2-onnx/all-minilm-l6-v2.onnx", "all-MiniLM-L6-v2-onnx/all-minilm-l6-v2-q.onnx"}

// modelsFolder returns where ci/models.sh puts models.
func modelsFolder() (string, error) {
	if set := os.Getenv("UFORM_MODELS"); set != "" {
		return set, nil
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "uform-models"), err
}

// tokenLoad is a batch of texts: of so many tokens, or, if tokens is 0, each of so many sentences,
// from one up to the number.
type tokenLoad struct{ count, tokens, sentences int }

var tokenLoads = []tokenLoad{{1, 16, 0}, {1, 64, 0}, {1, 256, 0}, {32, 64, 0}, {32, 0, 1}, {32, 0, 8}}

// pairedLoads are measured on two threads too.
var pairedLoads = []tokenLoad{{1, 64, 0}, {1, 256, 0}, {32, 64, 0}, {32, 0, 1}, {32, 0, 8}}

func (l tokenLoad) String() string {
	switch {
	case l.tokens > 0:
		return fmt.Sprintf("%d × %d", l.count, l.tokens)
	case l.sentences == 1:
		return fmt.Sprintf("%d sentences", l.count)
	}
	return fmt.Sprintf("%d × 1 … %d sentences", l.count, l.sentences)
}

// tokenRow is a load: the seconds of ONNX Runtime with both files, of each kind of the engine, and
// of hugot, 0 where it was not run or gave other vectors, and the least cosine of others to ONNX
// Runtime in f32.
type tokenRow struct {
	load         tokenLoad
	threads      int
	longest, sum int // tokens
	theirs       [2]float64
	ours         []float64
	hugot        float64
	theirI8      float64
	cosine       []float64
}

// folderBench measures MiniLM from its folder.
type folderBench struct {
	models    string
	foreign   *onnx.Runtime
	library   *uform.Library
	loaded    []*uform.Model // of each kind
	tokens    *folder.Model
	scratch   folder.Scratch
	sentences []string
	other     *hugotPipeline
}

func newFolderBench(ort string) (*folderBench, error) {
	b, err := loadFolder()
	if err != nil {
		return nil, err
	}
	if b.foreign, err = onnx.Open(ort); err != nil {
		return nil, err
	}
	if b.other, err = newHugot(filepath.Join(b.models, minilm), filepath.Join(b.models, foreignFiles[0])); err != nil {
		return nil, fmt.Errorf("hugot: %w", err)
	}
	return b, nil
}

// loadFolder loads the model with the engine alone.
func loadFolder() (*folderBench, error) {
	b := &folderBench{}
	var err error
	if b.models, err = modelsFolder(); err != nil {
		return nil, err
	}
	path := filepath.Join(b.models, minilm)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%w: ci/models.sh fetches it", err)
	}
	told, err := os.ReadFile(sentencesFile)
	if err != nil {
		return nil, fmt.Errorf("%w: run this in ci/bench", err)
	}
	b.sentences = strings.Split(strings.TrimSpace(string(told)), "\n")
	if b.tokens, err = folder.Open(folder.Files(os.DirFS(path)), nil); err != nil {
		return nil, err
	}
	if b.library, err = uform.Open(&uform.OpenOptions{Embedded: true}); err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		model, err := b.library.Load(ctx, path, &uform.LoadOptions{Scalar: kind})
		if err != nil {
			return nil, err
		}
		b.loaded = append(b.loaded, model)
	}
	return b, nil
}

func (b *folderBench) ids(text string) ([]int32, error) {
	ids, covered, err := b.tokens.Tokenize(&b.scratch, nil, []byte(text), "")
	if err == nil && covered < len(text) {
		err = fmt.Errorf("%d of %d bytes of %.40q fit", covered, len(text), text)
	}
	return ids, err
}

// texts draws the texts of a load from the sentences, and returns their ids too.
func (b *folderBench) texts(l tokenLoad) (texts []string, ids [][]int32, err error) {
	next := 0
	for i := range l.count {
		var text string
		if l.tokens > 0 {
			text, err = b.exactly(l.tokens, &next)
		} else {
			var parts []string
			for range 1 + i*5%l.sentences { // 5 has no divisor in common with it
				parts = append(parts, b.sentences[next%len(b.sentences)])
				next++
			}
			text = strings.Join(parts, " ")
		}
		if err != nil {
			return nil, nil, err
		}
		tokens, err := b.ids(text)
		if err != nil {
			return nil, nil, err
		}
		texts, ids = append(texts, text), append(ids, tokens)
	}
	return texts, ids, nil
}

// exactly joins words of the sentences to a text of so many tokens.
func (b *folderBench) exactly(tokens int, next *int) (string, error) {
	text := ""
	for {
		for word := range strings.FieldsSeq(b.sentences[*next%len(b.sentences)]) {
			longer := strings.TrimSpace(text + " " + word)
			ids, err := b.ids(longer)
			if err != nil || len(ids) == tokens {
				*next++
				return longer, err
			}
			if len(ids) < tokens {
				text = longer
			}
		}
		*next++
	}
}

// folders measures all loads on one thread, and some on two.
func (b *folderBench) folders(rounds int) (rows []tokenRow, err error) {
	for threads, loads := range [][]tokenLoad{1: tokenLoads, 2: pairedLoads} {
		if loads == nil || narrow && threads > 1 {
			continue
		}
		var sessions [2]*onnx.BERT
		for i, file := range foreignFiles {
			if sessions[i], err = b.foreign.NewBERT(filepath.Join(b.models, file), threads, minilmWidth); err != nil {
				return nil, err
			}
		}
		executor, err := b.library.NewExecutor(&uform.ExecutorOptions{Threads: threads, WithCaller: true})
		if err != nil {
			return nil, err
		}
		arena, err := b.library.NewArena(executor)
		if err != nil {
			return nil, err
		}
		for _, l := range loads {
			fmt.Fprintf(os.Stderr, "%s, %v, %d threads\n", minilm, l, threads)
			r, err := b.under(l, sessions, executor, arena, threads, rounds)
			if err != nil {
				return nil, fmt.Errorf("%v on %d threads: %w", l, threads, err)
			}
			rows = append(rows, r)
		}
		for _, session := range sessions {
			session.Close()
		}
		if err := arena.Close(); err != nil {
			return nil, err
		}
		if err := executor.Close(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// under measures one load, after it has checked that the embeddings agree.
func (b *folderBench) under(l tokenLoad, sessions [2]*onnx.BERT, executor *uform.Executor, arena *uform.Arena, threads, rounds int) (tokenRow, error) {
	texts, ids, err := b.texts(l)
	if err != nil {
		return tokenRow{}, err
	}
	in := onnx.PadTokens(ids)
	r := tokenRow{load: l, threads: threads, longest: in.Length}
	for _, text := range ids {
		r.sum += len(text)
	}
	var failed error
	keep := func(err error) {
		if err != nil {
			failed = err
		}
	}
	want, other := make([]float32, l.count*minilmWidth), make([]float32, l.count*minilmWidth)
	runs := []func(){
		func() { keep(sessions[0].Run(in, want)) },
		func() { keep(sessions[1].Run(in, other)) },
	}
	runs[0]()
	runs[1]()
	if failed != nil {
		return r, failed
	}
	r.theirI8 = nearness(want, other)
	tape := uform.Strings(texts)
	for i, model := range b.loaded {
		on := model.On(executor)
		runs = append(runs, func() {
			_, err := on.TextEncode(ctx, tape, arena, nil)
			keep(err)
		})
		encoded, err := on.TextEncode(ctx, tape, arena, nil)
		if err != nil {
			return r, err
		}
		var got []float32
		for _, embedding := range encoded.Embeddings.All() {
			got = append(got, embedding...)
		}
		r.cosine = append(r.cosine, nearness(want, got))
		if kinds[i] == uform.F32 && r.cosine[i] < 0.99999 {
			return r, fmt.Errorf("the least cosine to ONNX Runtime is %v", r.cosine[i])
		}
	}
	spent := alternate(threads, rounds, 20*time.Millisecond, runs)
	r.theirs, r.ours = [2]float64(spent), spent[2:]
	if threads > 1 || narrow { // hugot's backend takes all processors, however many it is to have
		return r, failed
	}
	got, err := b.other.encode(texts)
	if err != nil {
		return r, fmt.Errorf("hugot: %w", err)
	}
	if nearness(want, slices.Concat(got...)) < 0.99999 {
		return r, failed // of texts that are cut
	}
	begin := seconds(threads) // one run is enough for what it is beside the others
	_, err = b.other.encode(texts)
	r.hugot = seconds(threads) - begin
	keep(err)
	return r, failed
}

// nearness returns the least cosine of two batches.
func nearness(want, got []float32) float64 {
	least := 1.0
	for at := 0; at < len(want); at += minilmWidth {
		var dot, wants, gots float64
		for c := at; c < at+minilmWidth; c++ {
			w, g := float64(want[c]), float64(got[c])
			dot, wants, gots = dot+w*g, wants+w*w, gots+g*g
		}
		least = min(least, dot/math.Sqrt(wants*gots))
	}
	return least
}

// compareFolders measures MiniLM, and writes its table.
func compareFolders(ort string, rounds int, page string) error {
	b, err := newFolderBench(ort)
	if err != nil {
		return err
	}
	rows, err := b.folders(rounds)
	if err != nil {
		return err
	}
	var report strings.Builder
	fmt.Fprintf(&report, "Medians of %d interleaved runs, of processor time on one thread and of the clock on two, on %s.\n\n", rounds, machine())
	writeFolders(&report, rows)
	if narrow {
		return put(page, tableName("folders"), report.String())
	}
	costs, err := folderCosts(ort, rounds)
	if err != nil {
		return err
	}
	report.WriteString("\n")
	writeFolderCosts(&report, costs)
	if err := put(page, "folders", report.String()); err != nil {
		return err
	}
	if page == "" {
		return nil
	}
	return writeChart(page, folderPicture, chart(minilm+": times as fast as ONNX Runtime in f32, i8 as its int8, one thread", folderBars(rows)))
}

// writeFolders writes a table of speeds: the kinds of 32 and 16 bits relative to ONNX Runtime's
// f32, bytes relative to its bytes.
func writeFolders(out io.Writer, rows []tokenRow) {
	fmt.Fprintf(out, "| texts × tokens | padding | threads | ONNX Runtime, f32 | f32 | bf16 | ONNX Runtime, int8 | i8 | hugot, f32 | cosine of f32 | of i8 | of their int8 |\n"+
		"| --- |%s\n", strings.Repeat(" --: |", 11))
	for _, r := range rows {
		hugot := "–"
		if r.hugot > 0 {
			hugot = fmt.Sprintf("%.0f ms", 1e3*r.hugot)
		}
		padding := 1 - float64(r.sum)/float64(r.longest*r.load.count)
		fmt.Fprintf(out, "| %v | %.0f %% | %d | %.1f ms | %.2f× | %.2f× | %.1f ms | %.2f× | %s | %.6f | %.4f | %.4f |\n", r.load, 100*padding, r.threads,
			1e3*r.theirs[0], r.theirs[0]/r.ours[0], r.theirs[0]/r.ours[1], 1e3*r.theirs[1], r.theirs[1]/r.ours[2], hugot, r.cosine[0], r.cosine[2], r.theirI8)
	}
}
