package clients_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/require"
)

// bearer sends the key with every request, for clients that have none of their own.
type bearer struct{}

func (bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+key)
	return http.DefaultTransport.RoundTrip(request)
}

func TestOllama(t *testing.T) {
	address, err := url.Parse(serve(t))
	require.NoError(t, err)
	client := api.NewClient(address, &http.Client{Transport: bearer{}})
	require.NoError(t, client.Heartbeat(t.Context()))
	version, err := client.Version(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, version)
	list, err := client.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, "words", list.Models[0].Name)

	got, err := client.Embed(t.Context(), &api.EmbedRequest{Model: "words", Input: texts})
	require.NoError(t, err)
	similarities(t, got.Embeddings)
	require.Equal(t, 64, got.PromptEvalCount)
	require.Positive(t, got.TotalDuration)
	got, err = client.Embed(t.Context(), &api.EmbedRequest{Model: "words:latest", Input: texts[0], Dimensions: 16})
	require.NoError(t, err)
	require.Len(t, got.Embeddings[0], 16)
	former, err := client.Embeddings(t.Context(), &api.EmbeddingRequest{Model: "words", Prompt: texts[0]})
	require.NoError(t, err)
	require.Len(t, former.Embedding, 384)

	_, err = client.Embed(t.Context(), &api.EmbedRequest{Model: "nomic-embed-text", Input: texts})
	failure := api.StatusError{}
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 404, failure.StatusCode)
	require.Equal(t, `there is no model "nomic-embed-text" here`, failure.ErrorMessage)
	_, err = client.Embed(t.Context(), &api.EmbedRequest{Model: "words", Input: []any{"a", 1}})
	require.ErrorContains(t, err, "input[1]: tokens are not taken")
	whole := false
	_, err = client.Embed(t.Context(), &api.EmbedRequest{Model: "words", Truncate: &whole, Input: []string{"a", string(make([]byte, 5000))}})
	require.ErrorContains(t, err, "input[1]: ")
}
