package recipes_test

import (
	"context"
	"fmt"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"github.com/unum-cloud/uform-go/uform/words"
)

// The embedder is registered under its name, for Genkit's retrievers, flows and tools.
func Example_genkit() {
	g := genkit.Init(ctx)
	embedder := genkit.DefineEmbedder(g, "uform/words", nil, func(ctx context.Context, in *ai.EmbedRequest) (*ai.EmbedResponse, error) {
		out, texts := new(ai.EmbedResponse), make([]string, len(in.Input))
		for i, document := range in.Input {
			texts[i] = document.Content[0].Text
		}
		vectors, err := words.Embed(ctx, texts)
		for _, vector := range vectors {
			out.Embeddings = append(out.Embeddings, &ai.Embedding{Embedding: vector})
		}
		return out, err
	})
	answer := must(genkit.Embed(ctx, g, ai.WithEmbedder(embedder), ai.WithTextDocs(texts...)))
	fmt.Println(len(answer.Embeddings), len(answer.Embeddings[0].Embedding))
	// Output: 3 384
}
