package main

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// namespace is that of the counters.
const namespace = "uform"

func init() {
	beam.RegisterType(reflect.TypeFor[part]())
	register.DoFn2x0[fileio.FileMetadata, func(part)](&splitFn{})
	register.DoFn3x1[context.Context, part, func(string), error](&encodeFn{})
	register.Emitter1[part]()
	register.Emitter1[string]()
}

// build adds the steps to the pipeline:
//
//	pattern ─▶ files ─▶ parts ─▶ (shuffled) ─▶ a Parquet file for each part
//	                                       └─▶ bad lines ─▶ one file
func (s *settings) build(scope beam.Scope) {
	files := fileio.MatchFiles(scope, s.input, fileio.MatchEmptyDisallow())
	parts := beam.ParDo(scope, &splitFn{Bytes: s.part}, files)
	// Without this the runner may fuse the steps, and one worker would do all.
	parts = beam.Reshuffle(scope, parts)
	bad := beam.ParDo(scope, &encodeFn{Output: s.output, Model: s.model, Scalar: s.scalar, Lines: s.lines}, parts)
	textio.Write(scope, s.bad, bad)
}
