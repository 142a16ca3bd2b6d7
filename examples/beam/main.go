package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/unum-cloud/uform-go/uform"
)

// settings are the options of the command line.
type settings struct {
	input, output, bad string
	model              string
	scalar             uform.Scalar
	lines              int
	part               int64
}

func main() {
	var s settings
	kind := flag.String("scalar", "f16", "write vectors of `f32, f16 or i8`")
	flag.StringVar(&s.input, "input", "", "read the files that match the `pattern`, such as gs://bucket/lines/*.txt")
	flag.StringVar(&s.output, "output", "", "write Parquet files into the `folder`, which should be empty")
	flag.StringVar(&s.bad, "bad", "", "write lines that cannot be encoded to the `file` (default bad.jsonl in the output)")
	flag.StringVar(&s.model, "model", "", "load the checkpoint at `path`, on each worker (default that of package words)")
	flag.IntVar(&s.lines, "batch", 512, "encode up to `n` lines in one call")
	flag.Int64Var(&s.part, "part", 16<<20, "make parts of `n` bytes of text")
	flag.Parse()
	beam.Init() // a worker's process serves from here on, and never returns
	if err := s.check(*kind); err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(2)
	}
	if err := s.run(context.Background(), os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(1)
	}
}

// check completes the settings.
func (s *settings) check(kind string) error {
	switch kind {
	case "f32":
		s.scalar = uform.F32
	case "f16":
		s.scalar = uform.F16
	case "i8":
		s.scalar = uform.I8
	default:
		return fmt.Errorf("there is no scalar %q here: use f32, f16 or i8", kind)
	}
	switch {
	case s.input == "" || s.output == "":
		return fmt.Errorf("-input and -output are needed")
	case s.lines < 1 || s.part < 1:
		return fmt.Errorf("a batch has at least one line, a part at least one byte")
	}
	s.output = strings.TrimSuffix(s.output, "/")
	if s.bad == "" {
		s.bad = s.output + "/bad.jsonl"
	}
	return nil
}

// run runs the pipeline on the runner that the flags name, prism by default, and prints how many
// lines there were.
func (s *settings) run(ctx context.Context, log io.Writer) error {
	pipeline, scope := beam.NewPipelineWithRoot()
	s.build(scope)
	result, err := beamx.RunWithMetrics(ctx, pipeline)
	if err != nil || result == nil || *jobopts.Async { // nothing was counted yet
		return err
	}
	counts := map[string]int64{}
	for _, counter := range result.Metrics().AllMetrics().Counters() {
		if counter.Namespace() == namespace {
			counts[counter.Name()] += counter.Result()
		}
	}
	_, err = fmt.Fprintf(log, "beam: %d lines encoded, %d bad, %d cut to the model's context\n", counts["encoded"], counts["bad"], counts["cut"])
	return err
}
