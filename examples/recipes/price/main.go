//go:build linux

// Command price measures what a thousand texts cost with each neighbour, beside a plain loop that
// leaves their rows in an arena. It prints the rows of the table in docs/neighbours.md.
//
//	go run ./price
//
// Run it in examples/recipes. USearch and PostgreSQL take part where USEARCH_LIBRARY and PGHOST are
// set, as ci/recipes.sh sets them.
//
// A time is processor time of this process, the least of the rounds; in each round all take turns.
// PostgreSQL's server is another process, and not counted.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

var ctx = context.Background()

// neighbour takes a thousand texts from their words to where its user wants them.
type neighbour struct {
	name string
	take func(f *fixture)
}

// fixture is what all of them use.
type fixture struct {
	texts []string
	tape  uform.Tape
	model *uform.Model
	arena *uform.Arena
	asked uform.Rows // one query, in an arena of its own
}

// encode is the plain loop.
func (f *fixture) encode() uform.Rows {
	return must(f.model.TextEncode(ctx, f.tape, f.arena, nil)).Embeddings
}

func main() {
	rounds := flag.Int("rounds", 15, "how often each is measured")
	flag.Parse()
	library := must(uform.Open(&uform.OpenOptions{Embedded: true}))
	f := &fixture{model: must(words.Load(ctx, library, nil)), arena: must(library.NewArena(nil))}
	for i := range 1000 {
		f.texts = append(f.texts, fmt.Sprintf("sentence number %d says that a cat sleeps in the sun", i))
	}
	f.tape = uform.Strings(f.texts)
	f.asked = must(f.model.TextEncode(ctx, uform.Strings(f.texts[:1]), must(library.NewArena(nil)), nil)).Embeddings
	all := []neighbour{
		{"a plain loop into an arena", func(f *fixture) { f.encode() }},
		{"Embed, which copies", func(f *fixture) { must(f.model.Embed(ctx, f.texts)) }},
		{"chromem-go", chromemKeeps},
		{"langchaingo", langchaingoEmbeds},
		{"coder/hnsw", hnswAdds},
		{"Qdrant's client, to the bytes it sends", qdrantMarshals},
		{"gonum: one query times all rows", gonumMultiplies},
		{"Genkit", genkitEmbeds},
	}
	all = append(all, usearches()...)
	all = append(all, databases()...)
	least := make([]time.Duration, len(all))
	for range *rounds {
		for i, n := range all {
			began := processor()
			n.take(f)
			if took := processor() - began; least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	for i, n := range all {
		milliseconds := float64(least[i].Microseconds()) / 1000
		fmt.Printf("| %s | %.1f ms | %.2f |\n", n.name, milliseconds, float64(least[i])/float64(least[0]))
	}
}

// processor is the processor time of this process so far.
func processor() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
