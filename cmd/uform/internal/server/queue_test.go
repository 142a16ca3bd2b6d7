package server_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/server"
)

// ask asks for the vectors of texts in the background.
func (s *site) ask(t *testing.T, ctx context.Context, group *sync.WaitGroup, body string, then func(answer, error)) {
	t.Helper()
	group.Go(func() { then(s.send(ctx, "POST", "/api/embed", strings.NewReader(body))) })
}

// What waits when a worker becomes free is encoded in one call, whichever requests it came with,
// and each gets its own vectors.
func TestBatchesFormAcrossRequests(t *testing.T) {
	s := serve(t, &server.Options{Workers: 1})
	release := s.occupy(t)
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = fmt.Sprintf("text number %d", i)
	}
	want, err := model(t, "words").Embed(t.Context(), texts)
	require.NoError(t, err)
	answers := make([]answer, len(texts))
	var group sync.WaitGroup
	for i, text := range texts {
		s.ask(t, t.Context(), &group, `{"model":"words","input":`+quoted(text)+`}`, func(got answer, err error) {
			answers[i] = got
		})
	}
	s.until(t, `uform_queue_items{model="words"}`, 40)
	require.Equal(t, 41.0, s.metric(t, "uform_requests_in_flight"))
	release()
	group.Wait()
	for i, got := range answers {
		var vectors struct{ Embeddings [][]float32 }
		got.into(t, &vectors)
		require.Equal(t, want[i:i+1], vectors.Embeddings)
	}
	require.Equal(t, 3.0, s.metric(t, `uform_calls_total{model="words"}`), "the first text, 32 texts and 8")
	require.Equal(t, 41.0, s.metric(t, `uform_call_items_sum{model="words"}`))
	require.Equal(t, 41.0, s.metric(t, `uform_items_total{modality="text",model="words"}`))
}

// An idle worker takes a request at once, alone.
func TestNothingWaitsForABatch(t *testing.T) {
	s := serve(t, &server.Options{Workers: 1})
	for range 5 {
		require.Equal(t, 200, s.post(t, "/api/embed", `{"model":"words","input":["a","b"]}`).status)
	}
	require.Equal(t, 5.0, s.metric(t, `uform_calls_total{model="words"}`))
}

// A request of many items does not keep a small one waiting until all of them are encoded.
func TestRequestsTakeTurns(t *testing.T) {
	s := serve(t, &server.Options{Workers: 1, Limits: server.Limits{Batch: 4}})
	release := s.occupy(t)
	var group sync.WaitGroup
	var mutex sync.Mutex
	var order []string
	record := func(name string) func(answer, error) {
		return func(got answer, err error) {
			mutex.Lock()
			defer mutex.Unlock()
			order = append(order, fmt.Sprint(name, " ", got.status, " ", err))
		}
	}
	many := slices.Repeat([]string{strings.Repeat("many words make this text a long one ", 50)}, 400)
	s.ask(t, t.Context(), &group, `{"model":"words","input":`+quoted(many)+`}`, record("large"))
	s.until(t, `uform_queue_items{model="words"}`, 400)
	s.ask(t, t.Context(), &group, `{"model":"words","input":"few"}`, record("small"))
	s.until(t, `uform_queue_items{model="words"}`, 401)
	release()
	group.Wait()
	require.Equal(t, []string{"small 200 <nil>", "large 200 <nil>"}, order)
}

// The failure of one request's item is not that of those it shared a call with.
func TestABadItemIsItsRequestsAlone(t *testing.T) {
	s := serve(t, &server.Options{Workers: 1})
	release := s.occupy(t)
	long := quoted(strings.Repeat("long ", 2000))
	bodies := []string{
		`{"model":"words","truncate":false,"input":["a"]}`,
		`{"model":"words","truncate":false,"input":["b","c",` + long + `]}`,
		`{"model":"words","truncate":false,"input":["d","e"]}`,
	}
	answers := make([]answer, len(bodies))
	var group sync.WaitGroup
	waiting := 0.0
	for i, body := range bodies {
		s.ask(t, t.Context(), &group, body, func(got answer, err error) { answers[i] = got })
		waiting += []float64{1, 3, 2}[i]
		s.until(t, `uform_queue_items{model="words"}`, waiting)
	}
	release()
	group.Wait()
	require.Equal(t, 200, answers[0].status, answers[0].body)
	require.Equal(t, 400, answers[1].status)
	require.Contains(t, answers[1].body, `"input[2]: `)
	require.Equal(t, 200, answers[2].status, answers[2].body)
}

// What exceeds the queue, the requests or their memory is refused at once, and can be tried again.
func TestOverload(t *testing.T) {
	t.Run("queue", func(t *testing.T) {
		s := serve(t, &server.Options{Workers: 1, Limits: server.Limits{Queue: 4}})
		release := s.occupy(t)
		var group sync.WaitGroup
		var waited answer
		s.ask(t, t.Context(), &group, `{"model":"words","input":["a","b","c"]}`, func(got answer, err error) { waited = got })
		s.until(t, `uform_queue_items{model="words"}`, 3)
		for path, want := range map[string]string{
			"/v1/embeddings": `{"error":{"message":"too many items wait for the model \"words\": try again later","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
			"/api/embed":     `{"error":"too many items wait for the model \"words\": try again later"}`,
			"/embed":         `{"error":"too many items wait for the model \"words\": try again later","error_type":"Overloaded"}`,
		} {
			got := s.post(t, path, `{"model":"words","input":["d","e"],"inputs":["d","e"]}`)
			require.Equal(t, 429, got.status)
			require.Equal(t, "1", got.header.Get("Retry-After"))
			require.Equal(t, want, got.body)
		}
		// Another model is not concerned.
		require.Equal(t, 200, s.post(t, "/api/embed", `{"model":"senses","input":["d","e"]}`).status)
		release()
		group.Wait()
		require.Equal(t, 200, waited.status)
		require.Equal(t, 200, s.post(t, "/embed", `{"inputs":["d","e"]}`).status)
	})
	t.Run("requests", func(t *testing.T) {
		s := serve(t, &server.Options{Workers: 1, Limits: server.Limits{Requests: 1}})
		release := s.occupy(t)
		got := s.post(t, "/embed", `{"inputs":"a"}`)
		require.Equal(t, 429, got.status)
		require.Equal(t, "1", got.header.Get("Retry-After"))
		release()
		require.Eventually(t, func() bool { return s.post(t, "/embed", `{"inputs":"a"}`).status == 200 }, 20*time.Second, time.Millisecond)
	})
	t.Run("memory", func(t *testing.T) {
		s := serve(t, &server.Options{Limits: server.Limits{Memory: 64 << 10}})
		for _, body := range []string{quoted(strings.Repeat("a", 128<<10)), quoted(slices.Repeat([]string{"a"}, 100))} {
			got := s.post(t, "/embed", `{"inputs":`+body+`}`)
			require.Equal(t, 429, got.status, got.body)
		}
		require.Equal(t, 200, s.post(t, "/embed", `{"inputs":"a"}`).status)
		require.Zero(t, s.metric(t, "uform_memory_bytes"))
	})
}

// The items of a client that leaves are dropped, whether they wait or are being encoded.
func TestAClientVanishes(t *testing.T) {
	s := serve(t, &server.Options{Workers: 1})
	release := s.Occupy("words")
	first, leave := context.WithCancel(t.Context())
	others, leaveToo := context.WithCancel(t.Context())
	var group sync.WaitGroup
	left := func(_ answer, err error) { require.ErrorIs(t, err, context.Canceled) }
	s.ask(t, first, &group, `{"model":"words","input":"encoded"}`, left)
	s.until(t, `uform_calls_in_flight{model="words"}`, 1)
	for range 3 {
		s.ask(t, others, &group, `{"model":"words","input":["a","b"]}`, left)
	}
	s.until(t, `uform_queue_items{model="words"}`, 6)
	leaveToo()
	s.until(t, `uform_queue_items{model="words"}`, 0)
	s.until(t, "uform_requests_in_flight", 1)
	leave()
	s.until(t, `uform_call_failures_total{model="words",status="cancelled"}`, 1)
	s.until(t, `uform_requests_total{code="499",route="/api/embed"}`, 4)
	group.Wait()
	release()
	require.Equal(t, 200, s.post(t, "/embed", `{"inputs":"a"}`).status)
	require.Zero(t, s.metric(t, "uform_memory_bytes"))
	require.Zero(t, s.metric(t, "uform_requests_in_flight"))
}

// A client that leaves while its items are encoded with those of others does not change what the
// others get.
func TestAClientVanishesFromABatch(t *testing.T) {
	s := serve(t, &server.Options{Workers: 1})
	release := s.occupy(t)
	// The executor goes to the first request, then to the one who waits behind it, then to the
	// batch.
	again := make(chan func(), 1)
	go func() { again <- s.Occupy("words") }()
	texts := []string{"a cat", "a dog", "a house"}
	want, err := model(t, "words").Embed(t.Context(), texts)
	require.NoError(t, err)
	second, leave := context.WithCancel(t.Context())
	answers := make([]answer, len(texts))
	var group sync.WaitGroup
	for i, text := range texts {
		ctx := t.Context()
		if i == 1 {
			ctx = second
		}
		s.ask(t, ctx, &group, `{"model":"words","input":`+quoted(text)+`}`, func(got answer, err error) { answers[i] = got })
		s.until(t, `uform_queue_items{model="words"}`, float64(i+1))
	}
	release()
	releaseBatch := <-again
	s.until(t, `uform_queue_items{model="words"}`, 0)
	s.until(t, `uform_calls_in_flight{model="words"}`, 1)
	leave()
	s.until(t, `uform_requests_total{code="499",route="/api/embed"}`, 1)
	releaseBatch()
	group.Wait()
	for _, i := range []int{0, 2} {
		var got struct{ Embeddings [][]float32 }
		answers[i].into(t, &got)
		require.Equal(t, want[i:i+1], got.Embeddings, texts[i])
	}
	require.Equal(t, 4.0, s.metric(t, `uform_call_items_sum{model="words"}`))
	require.Equal(t, 2.0, s.metric(t, `uform_calls_total{model="words"}`))
}
