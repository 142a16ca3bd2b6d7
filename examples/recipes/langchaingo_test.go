package recipes_test

import (
	"fmt"

	"github.com/tmc/langchaingo/embeddings"

	"github.com/unum-cloud/uform-go/uform/words"
)

// Embed has the signature that langchaingo's embedder asks of a client; Model.Embed and Pool.Embed
// have it, too.
func Example_langchaingo() {
	embedder := must(embeddings.NewEmbedder(embeddings.EmbedderClientFunc(words.Embed)))
	documents := must(embedder.EmbedDocuments(ctx, texts))
	query := must(embedder.EmbedQuery(ctx, question))
	fmt.Println(len(documents), len(query))
	// Output: 3 384
}
