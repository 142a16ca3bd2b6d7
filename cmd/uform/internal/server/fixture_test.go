package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/server"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/senses"
	"github.com/unum-cloud/uform-go/uform/words"
)

// models are loaded once, on the engine, for all tests.
var models = sync.OnceValues(func() ([]server.Named, error) {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return nil, err
	}
	texts, err := words.Load(context.Background(), library, nil)
	if err != nil {
		return nil, err
	}
	all, err := senses.Load(context.Background(), library, nil)
	return []server.Named{{Name: "words", Model: texts}, {Name: "senses", Model: all}}, err
})

// model is one of the models.
func model(t testing.TB, name string) *uform.Model {
	t.Helper()
	all, err := models()
	require.NoError(t, err)
	for _, named := range all {
		if named.Name == name {
			return named.Model
		}
	}
	require.Fail(t, "no such model")
	return nil
}

// site is a server that a test asks.
type site struct {
	*server.Server
	url string
}

// serve starts a server with options.
func serve(t testing.TB, options *server.Options) *site {
	t.Helper()
	all, err := models()
	require.NoError(t, err)
	serving, err := server.New(all, options)
	require.NoError(t, err)
	http := httptest.NewServer(serving)
	t.Cleanup(func() {
		http.Close()
		require.NoError(t, serving.Close())
	})
	return &site{serving, http.URL}
}

// answer is what a client got.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request with headers as "Name: value".
func (s *site) send(ctx context.Context, method, path string, body io.Reader, headers ...string) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return answer{}, err
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if request.Header.Set(name, value); name == "Host" {
			request.Host = value
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(content)}, err
}

// post posts a body and returns the answer.
func (s *site) post(t testing.TB, path, body string, headers ...string) answer {
	t.Helper()
	got, err := s.send(t.Context(), "POST", path, strings.NewReader(body), headers...)
	require.NoError(t, err)
	return got
}

func (s *site) get(t testing.TB, path string, headers ...string) answer {
	t.Helper()
	got, err := s.send(t.Context(), "GET", path, nil, headers...)
	require.NoError(t, err)
	return got
}

// into decodes the JSON of an answer that succeeded.
func (a answer) into(t testing.TB, value any) {
	t.Helper()
	require.Equal(t, 200, a.status, a.body)
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	require.NoError(t, json.Unmarshal([]byte(a.body), value), a.body)
}

// metric is the value of a metric with its labels, 0 where there is none yet.
func (s *site) metric(t testing.TB, name string, headers ...string) float64 {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(s.get(t, "/metrics", headers...).body)
	if found == nil {
		return 0
	}
	value, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	return value
}

// until waits for a metric to have a value.
func (s *site) until(t testing.TB, name string, value float64) {
	t.Helper()
	require.Eventually(t, func() bool { return s.metric(t, name) == value }, 20*time.Second, 2*time.Millisecond, name)
}

// occupy makes the only worker of the model words busy with a request of one text, until release is
// called. A second release does nothing.
func (s *site) occupy(t testing.TB) (release func()) {
	t.Helper()
	let := s.Occupy("words")
	answered := make(chan answer, 1)
	go func() {
		got, _ := s.send(context.Background(), "POST", "/api/embed", strings.NewReader(`{"model":"words","input":"first"}`))
		answered <- got
	}()
	s.until(t, `uform_calls_in_flight{model="words"}`, 1)
	release = sync.OnceFunc(func() {
		let()
		<-answered
	})
	t.Cleanup(release)
	return release
}

// embeddings are vectors in OpenAI's shape.
type embeddings struct {
	Object string
	Data   []struct {
		Object    string
		Index     int
		Embedding []float32
	}
	Model string
	Usage map[string]int
}

// quoted is a text as JSON.
func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
