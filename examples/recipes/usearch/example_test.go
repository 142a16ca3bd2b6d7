//go:build linux || darwin

package usearch_test

import (
	"context"
	"fmt"
	"os"

	"github.com/unum-cloud/uform-go/examples/recipes/usearch"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

var ctx = context.Background()

// must stands for a program's own handling of errors.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// USearch reads the rows where they are: one call compares the last of them with all.
func Example() {
	texts := []string{"a man is playing the guitar", "share prices are falling", "a cat sleeps in the sun"}
	library := must(uform.Open(nil))
	model := must(words.Load(ctx, library, nil))
	defer model.Close()
	documents, questions := must(library.NewArena(nil)), must(library.NewArena(nil))
	rows := must(model.TextEncode(ctx, uform.Strings(texts), documents, nil)).Embeddings
	query := must(model.TextEncode(ctx, uform.Strings([]string{"stocks fell sharply"}), questions, nil)).Embeddings
	search := must(usearch.Open(os.Getenv("USEARCH_LIBRARY")))
	found := must(search.Exact(rows, query, 1, nil))
	fmt.Printf("%.1f %s\n", 1-found[0][0].Distance, texts[found[0][0].Key])
	// Output: 0.5 share prices are falling
}
