package recipes_test

import (
	"fmt"

	"github.com/coder/hnsw"

	"github.com/unum-cloud/uform-go/uform/words"
)

// The graph keeps the slices that it gets. Those of Embed are the caller's; rows of an arena would
// have to be cloned.
func Example_hnsw() {
	graph := hnsw.NewGraph[int]()
	for i, vector := range must(words.Embed(ctx, texts)) {
		graph.Add(hnsw.MakeNode(i, vector))
	}
	found := graph.Search(must(words.Embed(ctx, []string{question}))[0], 1)
	fmt.Println(texts[found[0].Key])
	// Output: share prices are falling
}
