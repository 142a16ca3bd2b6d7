package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// request is what a server of embeddings is asked.
type request struct {
	Model    string   `json:"model"`
	Input    []string `json:"input"`
	Encoding string   `json:"encoding_format"`
}

// serve starts a server whose answers answer writes. It checks what every request must have.
func serve(t *testing.T, answer func(w http.ResponseWriter, asked request)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked request
		if r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" || r.Header.Get("Content-Type") != "application/json" {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, `{"error":{"message":"Incorrect API key"}}`, http.StatusUnauthorized)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Encoding != "float" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		answer(w, asked)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// embeddings answers a request as OpenAI does, in any order.
func embeddings(w http.ResponseWriter, vectors [][]float32) {
	var data []map[string]any
	for i := len(vectors) - 1; i >= 0; i-- {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vectors[i]})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "usage": map[string]int{"total_tokens": 1}})
}

// lengths are vectors that show which text they are of.
func lengths(texts []string) (vectors [][]float32) {
	for _, text := range texts {
		vectors = append(vectors, []float32{float32(len(text)), 1})
	}
	return vectors
}

func patient(url, key string) *endpoint {
	e := newEndpoint(url, "tiny", key, 2)
	e.pause, e.longest, e.attempts = time.Millisecond, 50*time.Millisecond, 4
	return e
}

func TestEndpointRetries(t *testing.T) {
	for name, test := range map[string]struct {
		faults int
		fault  func(w http.ResponseWriter)
		least  time.Duration
	}{
		"none":     {},
		"too many": {1, func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }, 0},
		"at once": {3, func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}, 0},
		"a server's":    {3, func(w http.ResponseWriter) { http.Error(w, "oops", http.StatusInternalServerError) }, 7 * time.Millisecond},
		"a gateway's":   {2, func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, 3 * time.Millisecond},
		"a cut answer":  {1, func(w http.ResponseWriter) { w.Header().Set("Content-Length", "99"); fmt.Fprint(w, `{"data":[`) }, 0},
		"a cut request": {1, func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			url := serve(t, func(w http.ResponseWriter, r request) {
				if asked++; asked <= test.faults {
					test.fault(w)
					return
				}
				require.Equal(t, "tiny", r.Model)
				embeddings(w, lengths(r.Input))
			})
			begun := time.Now()
			vectors, err := patient(url, "secret").embed(t.Context(), []string{"a", "four"})
			require.NoError(t, err)
			require.Equal(t, [][]float32{{1, 1}, {4, 1}}, vectors)
			require.Equal(t, test.faults+1, asked)
			require.GreaterOrEqual(t, time.Since(begun), test.least)
		})
	}
}

func TestEndpointGivesUp(t *testing.T) {
	list := func(data string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { fmt.Fprintf(w, `{"data":[%s]}`, data) }
	}
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter)
		asked  int
		says   string
	}{
		"always busy": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, 4, "503 Service Unavailable: , after 4 attempts"},
		"a long wait": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
		}, 1, "asks to wait for 1m0s"},
		"a bad request":    {func(w http.ResponseWriter) { http.Error(w, "no such model", http.StatusBadRequest) }, 1, "400 Bad Request: no such model"},
		"no list":          {func(w http.ResponseWriter) { fmt.Fprint(w, "hello") }, 1, "not a list of embeddings"},
		"base64":           {list(`{"index":0,"embedding":"AACAPw=="},{"index":1,"embedding":"AACAPw=="}`), 1, "not a list of embeddings in numbers"},
		"too few":          {list(`{"index":0,"embedding":[1]}`), 1, "1 embeddings for 2 texts"},
		"too many":         {list(`{"index":0,"embedding":[1]},{"index":1,"embedding":[1]},{"index":2,"embedding":[1]}`), 1, "3 embeddings for 2 texts"},
		"one twice":        {list(`{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}`), 1, "two embeddings of text 1"},
		"out of range":     {list(`{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}`), 1, "text 2 of 2"},
		"negative":         {list(`{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}`), 1, "text -1 of 2"},
		"two widths":       {list(`{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}`), 1, "text 1 has 2 columns, others 1"},
		"an empty one":     {list(`{"index":0,"embedding":[1]},{"index":1,"embedding":[]}`), 1, "text 1 is empty"},
		"too large floats": {list(`{"index":0,"embedding":[1e99]},{"index":1,"embedding":[1]}`), 1, "not a list"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			url := serve(t, func(w http.ResponseWriter, _ request) {
				asked++
				test.answer(w)
			})
			_, err := patient(url, "secret").embed(t.Context(), []string{"a", "b"})
			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, err, url)
			require.NotContains(t, err.Error(), "secret")
			require.Equal(t, test.asked, asked)
		})
	}
	url := serve(t, nil)
	_, err := patient(url, "wrong").embed(t.Context(), []string{"a"})
	require.ErrorContains(t, err, "401 Unauthorized: {\"error\":{\"message\":\"Incorrect API key\"}}")
}

// An interrupt ends a wait.
func TestEndpointIsInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	url := serve(t, func(w http.ResponseWriter, _ request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		stop()
	})
	e := patient(url, "secret")
	e.pause, e.longest = time.Hour, time.Hour
	_, err := e.embed(ctx, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"0": 0, "17": 17 * time.Second, "Tue, 01 Dec 2026 08:00:30 GMT": 30 * time.Second, "Tue, 01 Dec 2026 07:00:00 GMT": 0,
	} {
		after, told := retryAfter(text, now)
		require.True(t, told, text)
		require.Equal(t, want, after, text)
	}
	for _, text := range []string{"", "soon", "-1", "1.5"} {
		_, told := retryAfter(text, now)
		require.False(t, told, text)
	}
}

// The program learns from an endpoint, in batches and with a prefix.
func TestStudentOfAnEndpoint(t *testing.T) {
	library, err := uform.Open(nil)
	require.NoError(t, err)
	model, err := words.Load(t.Context(), library, nil)
	require.NoError(t, err)
	defer model.Close()
	largest := 0
	url := serve(t, func(w http.ResponseWriter, r request) {
		largest = max(largest, len(r.Input))
		for i, text := range r.Input {
			if !strings.HasPrefix(text, "query: ") {
				http.Error(w, "no prefix", http.StatusBadRequest)
				return
			}
			r.Input[i] = strings.TrimPrefix(text, "query: ")
		}
		vectors, err := model.Embed(context.Background(), r.Input)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		embeddings(w, vectors)
	})
	t.Setenv("TEACHERS_KEY", "secret")
	stdout, _ := program(t, t.Context(), command.Succeeded, "", "-teacher", url, "-teacher-model", "words", "-teacher-key", "TEACHERS_KEY",
		"-teacher-batch", "40", "-prefix", "query: ", "-texts", write(t, "lines.txt", []byte(sentences(200))), "-size", "tiny", "-grams", "2000",
		"-passes", "10", "-batch", "32", "-o", filepath.Join(t.TempDir(), "student.safetensors"))
	require.Equal(t, 40, largest)
	require.Greater(t, figure(t, stdout, "after", "cosine"), figure(t, stdout, "before", "cosine")+0.3)
}
