package clients_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"
)

func TestOpenAI(t *testing.T) {
	client := openai.NewClient(option.WithBaseURL(serve(t)+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0))
	models, err := client.Models.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, "words", models.Data[0].ID)
	model, err := client.Models.Get(t.Context(), "senses")
	require.NoError(t, err)
	require.Equal(t, "uform", model.OwnedBy)

	many := openai.EmbeddingNewParams{Model: "words", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts}}
	got, err := client.Embeddings.New(t.Context(), many)
	require.NoError(t, err)
	var vectors [][]float64
	for i, one := range got.Data {
		require.EqualValues(t, i, one.Index)
		vectors = append(vectors, one.Embedding)
	}
	similarities(t, vectors)
	require.EqualValues(t, "words", got.Model)
	require.EqualValues(t, 64, got.Usage.PromptTokens)
	require.EqualValues(t, 64, got.Usage.TotalTokens)

	one, err := client.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
		Model: "words", Dimensions: openai.Int(16), Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String(texts[0])},
	})
	require.NoError(t, err)
	require.Len(t, one.Data, 1)
	require.Len(t, one.Data[0].Embedding, 16)

	// The client's type has no bytes, but the answer that it keeps has.
	var raw []byte
	many.EncodingFormat = openai.EmbeddingNewParamsEncodingFormatBase64
	_, _ = client.Embeddings.New(t.Context(), many, option.WithResponseBodyInto(&raw))
	var packed struct{ Data []struct{ Embedding string } }
	require.NoError(t, json.Unmarshal(raw, &packed))
	content, err := base64.StdEncoding.DecodeString(packed.Data[0].Embedding)
	require.NoError(t, err)
	require.Len(t, content, 4*384)
	require.Equal(t, float32(vectors[0][0]), math.Float32frombits(binary.LittleEndian.Uint32(content)))
}

func TestOpenAIsErrors(t *testing.T) {
	address := serve(t, "--max-items", "2")
	client := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0))
	ask := func(client *openai.Client, params openai.EmbeddingNewParams, options ...option.RequestOption) *openai.Error {
		t.Helper()
		_, err := client.Embeddings.New(t.Context(), params, options...)
		failure := new(openai.Error)
		require.ErrorAs(t, err, &failure)
		return failure
	}
	text := openai.EmbeddingNewParamsInputUnion{OfString: openai.String("a")}

	failure := ask(&client, openai.EmbeddingNewParams{Model: "text-embedding-3-small", Input: text})
	require.Equal(t, 404, failure.StatusCode)
	require.Equal(t, "model_not_found", failure.Code)
	require.Equal(t, "invalid_request_error", failure.Type)
	require.Contains(t, failure.Message, "text-embedding-3-small")

	failure = ask(&client, openai.EmbeddingNewParams{Model: "words", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfTokens: []int64{1, 2}}})
	require.Equal(t, 400, failure.StatusCode)
	require.Equal(t, "input", failure.Param)
	require.Contains(t, failure.Message, "input[0]: tokens are not taken")

	failure = ask(&client, openai.EmbeddingNewParams{Model: "words", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts}})
	require.Equal(t, 413, failure.StatusCode)

	failure = ask(&client, openai.EmbeddingNewParams{Model: "words", Input: text}, option.WithAPIKey("wrong"))
	require.Equal(t, 401, failure.StatusCode)
	require.Equal(t, "invalid_api_key", failure.Code)

	_, err := client.Embeddings.New(cancelled(t), openai.EmbeddingNewParams{Model: "words", Input: text})
	require.True(t, errors.Is(err, context.Canceled))
}
