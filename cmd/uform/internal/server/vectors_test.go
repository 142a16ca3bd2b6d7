package server_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/server"
	"github.com/unum-cloud/uform-go/uform"
)

var texts = []string{"a cat on a mat", "ein Hund im Nebel", "", "\ufffd is a character", "tab\tand \"quotes\" 🦊"}

// Whatever the API, vectors are those of the model, to the last bit.
func TestVectorsAreTheModels(t *testing.T) {
	s := serve(t, nil)
	want, err := model(t, "words").Embed(t.Context(), texts)
	require.NoError(t, err)

	var openAI embeddings
	s.post(t, "/v1/embeddings", `{"model":"words","user":"x","input":`+quoted(texts)+`}`).into(t, &openAI)
	require.Equal(t, "list", openAI.Object)
	require.Equal(t, "words", openAI.Model)
	bytes := len(strings.Join(texts, ""))
	require.Equal(t, map[string]int{"prompt_tokens": bytes, "total_tokens": bytes}, openAI.Usage)
	for i, one := range openAI.Data {
		require.Equal(t, i, one.Index)
		require.Equal(t, "embedding", one.Object)
		require.Equal(t, want[i], one.Embedding)
	}

	var packed struct{ Data []struct{ Embedding string } }
	s.post(t, "/v1/embeddings", `{"model":"words","encoding_format":"base64","input":`+quoted(texts)+`}`).into(t, &packed)
	for i, one := range packed.Data {
		content, err := base64.StdEncoding.DecodeString(one.Embedding)
		require.NoError(t, err)
		vector := make([]float32, len(content)/4)
		_, err = binary.Decode(content, binary.LittleEndian, vector)
		require.NoError(t, err)
		require.Equal(t, want[i], vector)
	}

	var ollama struct {
		Model      string
		Embeddings [][]float32
		Tokens     int   `json:"prompt_eval_count"`
		Took       int64 `json:"total_duration"`
	}
	s.post(t, "/api/embed", `{"model":"words:latest","truncate":true,"keep_alive":"5m","options":{"x":1},"input":`+quoted(texts)+`}`).into(t, &ollama)
	require.Equal(t, want, ollama.Embeddings)
	require.Equal(t, "words:latest", ollama.Model)
	require.Equal(t, bytes, ollama.Tokens)
	require.Positive(t, ollama.Took)

	var inference [][]float32
	s.post(t, "/embed", `{"normalize":true,"inputs":`+quoted(texts)+`}`).into(t, &inference)
	require.Equal(t, want, inference)

	// One text without an array.
	s.post(t, "/v1/embeddings", `{"model":"words","input":`+quoted(texts[0])+`}`).into(t, &openAI)
	require.Len(t, openAI.Data, 1)
	require.Equal(t, want[0], openAI.Data[0].Embedding)
	s.post(t, "/embed", `{"inputs":`+quoted(texts[0])+`}`).into(t, &inference)
	require.Equal(t, want[:1], inference)
	var former struct{ Embedding []float32 }
	s.post(t, "/api/embeddings", `{"model":"words","prompt":`+quoted(texts[0])+`}`).into(t, &former)
	require.Equal(t, want[0], former.Embedding)
}

// Dimensions are the head of the vector, at unit length.
func TestDimensions(t *testing.T) {
	s := serve(t, nil)
	whole, err := model(t, "words").Embed(t.Context(), texts[:1])
	require.NoError(t, err)
	squares := 0.0
	for _, x := range whole[0][:7] {
		squares += float64(x) * float64(x)
	}
	var openAI embeddings
	s.post(t, "/v1/embeddings", `{"model":"words","dimensions":7,"input":"a cat on a mat"}`).into(t, &openAI)
	var ollama struct{ Embeddings [][]float32 }
	s.post(t, "/api/embed", `{"model":"words","dimensions":7,"input":"a cat on a mat"}`).into(t, &ollama)
	var inference [][]float32
	s.post(t, "/embed", `{"dimensions":7,"inputs":"a cat on a mat"}`).into(t, &inference)
	for _, vector := range [][]float32{openAI.Data[0].Embedding, ollama.Embeddings[0], inference[0]} {
		require.Len(t, vector, 7)
		for i, x := range vector {
			require.InDelta(t, float64(whole[0][i])/math.Sqrt(squares), x, 1e-6)
		}
	}
	s.post(t, "/api/embed", `{"model":"words","dimensions":0,"input":"a"}`).into(t, &ollama)
	require.Len(t, ollama.Embeddings[0], 384)
}

// A text that is longer than the context is embedded whole, by windows, unless the client says no.
func TestLongTexts(t *testing.T) {
	s := serve(t, nil)
	long := strings.Repeat("all of it counts. ", 1000)
	want, err := model(t, "words").Embed(t.Context(), []string{long})
	require.NoError(t, err)
	var ollama struct{ Embeddings [][]float32 }
	s.post(t, "/api/embed", `{"model":"words","input":`+quoted(long)+`}`).into(t, &ollama)
	require.Equal(t, want, ollama.Embeddings)
	got := s.post(t, "/api/embed", `{"model":"words","truncate":false,"input":["short",`+quoted(long)+`]}`)
	require.Equal(t, 400, got.status)
	require.Contains(t, got.body, `{"error":"input[1]: `)
	got = s.post(t, "/embed", `{"truncate":false,"inputs":["short",`+quoted(long)+`]}`)
	require.Equal(t, 413, got.status)
	require.Contains(t, got.body, `"error":"inputs[1]: `)
	require.Contains(t, got.body, `"error_type":"Validation"`)
}

func media(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile("../../../../testdata/media/" + name)
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(content)
}

// Pictures and recordings are items beside texts, and have the vectors that the model gives them.
func TestFiles(t *testing.T) {
	s := serve(t, nil)
	picture, recording := media(t, "images/baseline.jpg"), media(t, "audio/s16.wav")
	var got embeddings
	s.post(t, "/v1/embeddings", `{"model":"senses","input":["a dog",{"image":"data:image/jpeg;base64,`+picture+`"},{"text":"a cat"},{"audio":"`+recording+`"}]}`).into(t, &got)
	arena, err := model(t, "senses").Library().NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	files, err := uform.Files("../../../../testdata/media/images/baseline.jpg")
	require.NoError(t, err)
	images, err := model(t, "senses").ImageEncode(t.Context(), files, arena, nil)
	require.NoError(t, err)
	rows, err := images.Embeddings.Copy()
	require.NoError(t, err)
	require.Equal(t, rows[0], got.Data[1].Embedding)
	read, err := model(t, "senses").Embed(t.Context(), []string{"a dog", "a cat"})
	require.NoError(t, err)
	require.Equal(t, read, [][]float32{got.Data[0].Embedding, got.Data[2].Embedding})
	require.Len(t, got.Data[3].Embedding, 128)

	var single embeddings
	s.post(t, "/v1/embeddings", `{"model":"senses","input":{"image":"`+picture+`"}}`).into(t, &single)
	require.Equal(t, rows[0], single.Data[0].Embedding)
}

// A model of Ollama is loaded by a request without texts.
func TestOllamaLoads(t *testing.T) {
	s := serve(t, nil)
	for body, want := range map[string]string{
		`{"model":"words"}`:              `[]`,
		`{"model":"words","input":""}`:   `[]`,
		`{"model":"words","input":[]}`:   `[]`,
		`{"model":"words","input":null}`: `[]`,
	} {
		var got struct{ Embeddings json.RawMessage }
		s.post(t, "/api/embed", body).into(t, &got)
		require.Equal(t, want, string(got.Embeddings), body)
	}
	require.Equal(t, `{"embedding":[]}`+"\n", s.post(t, "/api/embeddings", `{"model":"words"}`).body)
}

func TestLists(t *testing.T) {
	s := serve(t, &server.Options{Version: "1.2.3"})
	var list struct {
		Object string
		Data   []struct {
			ID, Object string
			Dimensions int
			Modalities []string
		}
	}
	s.get(t, "/v1/models").into(t, &list)
	require.Equal(t, "list", list.Object)
	require.Equal(t, "words", list.Data[0].ID)
	require.Equal(t, 384, list.Data[0].Dimensions)
	require.Equal(t, []string{"text", "image", "audio"}, list.Data[1].Modalities)
	s.get(t, "/v1/models/senses").into(t, &list.Data[0])
	require.Equal(t, "senses", list.Data[0].ID)
	require.Equal(t, "model", list.Data[0].Object)
	require.Equal(t, 404, s.get(t, "/v1/models/gpt").status)

	var tags struct{ Models []struct{ Name string } }
	s.get(t, "/api/tags").into(t, &tags)
	require.Len(t, tags.Models, 2)
	require.Equal(t, `{"version":"1.2.3"}`, s.get(t, "/api/version").body)
	var info map[string]any
	s.get(t, "/info").into(t, &info)
	require.Equal(t, "words", info["model_id"])
	require.EqualValues(t, 2048, info["max_client_batch_size"])
	require.Equal(t, "ok\n", s.get(t, "/healthz").body)
	require.Equal(t, 200, s.get(t, "/health").status)
}

func TestSearch(t *testing.T) {
	lines := []string{"prices are falling", "a cat sleeps on the sofa", "music is played"}
	index, err := server.NewIndex(t.Context(), model(t, "words"), lines)
	require.NoError(t, err)
	s := serve(t, &server.Options{Index: index})
	var got struct {
		Model   string
		Matches []struct {
			Score float64
			Line  int
			Text  string
		}
	}
	s.post(t, "/search", `{"query":"a sleepy pet","k":2}`).into(t, &got)
	require.Equal(t, "words", got.Model)
	require.Len(t, got.Matches, 2)
	require.Equal(t, lines[1], got.Matches[0].Text)
	require.Equal(t, 2, got.Matches[0].Line)
	require.Greater(t, got.Matches[0].Score, got.Matches[1].Score)
	for _, body := range []string{`{"query":"a","k":0}`, `{"query":["a"]}`, `{}`, `{"query":{"image":"aGFsbG8="}}`} {
		require.Equal(t, 400, s.post(t, "/search", body).status, body)
	}
	require.Equal(t, 404, serve(t, nil).post(t, "/search", `{"query":"a"}`).status)
}
