package recipes_test

import (
	"fmt"

	"github.com/philippgille/chromem-go"

	"github.com/unum-cloud/uform-go/uform/words"
)

// All texts are embedded in one call, and chromem keeps the vectors, so it needs no function that
// embeds them one by one.
func Example_chromem() {
	vectors := must(words.Embed(ctx, append(texts, question)))
	collection := must(chromem.NewDB().CreateCollection("texts", nil, nil))
	check(collection.Add(ctx, []string{"a", "b", "c"}, vectors[:3], nil, texts))
	found := must(collection.QueryEmbedding(ctx, vectors[3], 1, nil, nil))
	fmt.Println(found[0].ID, found[0].Content)
	// Output: b share prices are falling
}
