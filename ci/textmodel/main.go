package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"

	"github.com/unum-cloud/uform-go/ci/textmodel/corpus"
)

// threads is the number of processors. Results do not depend on it.
var threads = runtime.GOMAXPROCS(0)

// settings are the values of the command line.
type settings struct {
	folders    corpus.Folders
	work       string
	checkpoint string
	log        string
	card       string
	teacher    string
	senses     string
	steps      int
	every      int
}

func (s *settings) sentencesPath() string { return filepath.Join(s.work, "sentences.tsv") }
func (s *settings) vectorsPath() string   { return filepath.Join(s.work, "vectors.f16") }
func (s *settings) scoredPath() string    { return filepath.Join(s.folders.Data, "sts-dev.csv") }

func main() {
	log.SetFlags(0)
	var s settings
	flag.StringVar(&s.folders.Data, "data", "", "`folder` of sentences.txt.xz, pairs.txt.xz and sts-dev.csv")
	flag.StringVar(&s.folders.Sources, "sources", "sources", "`folder` that fetch.sh filled")
	flag.StringVar(&s.work, "work", "work", "`folder` for intermediate files, some gigabytes")
	flag.StringVar(&s.teacher, "teacher", "models/all-MiniLM-L6-v2", "`folder` of the teacher")
	flag.StringVar(&s.checkpoint, "checkpoint", "words.safetensors", "the model's `file`")
	flag.StringVar(&s.log, "log", "", "`file` that the log of training goes to as well")
	flag.StringVar(&s.card, "card", "", "model card `file` that judge writes its figures into")
	flag.StringVar(&s.senses, "senses", "senses.safetensors", "`file` of the model that sense makes")
	flag.IntVar(&s.steps, "steps", 10_000, "steps of training")
	flag.IntVar(&s.every, "every", 500, "steps between two evaluations")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "Usage: textmodel -data folder [flags] teach|train|decide|judge|sense ...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 || s.folders.Data == "" {
		flag.Usage()
		os.Exit(2)
	}
	for _, name := range flag.Args() {
		if err := s.do(name); err != nil {
			log.Fatalf("textmodel: %s: %v", name, err)
		}
	}
}

func (s *settings) do(name string) error {
	ctx := context.Background()
	if err := os.MkdirAll(s.work, 0o755); err != nil {
		return err
	}
	switch name {
	case "teach":
		return s.teach(ctx)
	case "train":
		return s.logged(func(out io.Writer) error { return s.train(ctx, out) })
	case "decide":
		return s.logged(func(out io.Writer) error { return s.decide(ctx, out) })
	case "sense":
		return s.logged(func(out io.Writer) error { return s.sense(ctx, out) })
	case "judge":
		var figures bytes.Buffer
		if err := s.judge(ctx, io.MultiWriter(os.Stdout, &figures)); err != nil || s.card == "" {
			return err
		}
		return writeCard(s.card, figures.Bytes())
	}
	return errors.New("unknown command: use teach, train, decide, judge or sense")
}

// logged runs do with output that also goes to the log.
func (s *settings) logged(do func(out io.Writer) error) error {
	if s.log == "" {
		return do(os.Stdout)
	}
	file, err := os.Create(s.log)
	if err != nil {
		return err
	}
	return errors.Join(do(io.MultiWriter(os.Stdout, file)), file.Close())
}
