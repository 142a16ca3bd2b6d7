package clients_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

func TestLangchain(t *testing.T) {
	address := serve(t)
	byOpenAI, err := openai.New(openai.WithBaseURL(address+"/v1"), openai.WithToken(key), openai.WithEmbeddingModel("words"))
	require.NoError(t, err)
	byOllama, err := ollama.New(ollama.WithServerURL(address), ollama.WithModel("words"), ollama.WithHTTPClient(&http.Client{Transport: bearer{}}))
	require.NoError(t, err)
	var before [][]float32
	for _, client := range []embeddings.EmbedderClient{byOpenAI, byOllama} {
		embedder, err := embeddings.NewEmbedder(client, embeddings.WithBatchSize(2))
		require.NoError(t, err)
		vectors, err := embedder.EmbedDocuments(t.Context(), texts)
		require.NoError(t, err)
		similarities(t, vectors)
		if before != nil {
			require.Equal(t, before, vectors)
		}
		before = vectors
		query, err := embedder.EmbedQuery(t.Context(), texts[1])
		require.NoError(t, err)
		require.Equal(t, vectors[1], query)
	}
}
