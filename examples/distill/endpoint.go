package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// endpoint is a teacher behind the embeddings interface of OpenAI, which many servers share.
type endpoint struct {
	url, model, key string
	size            int
	client          http.Client
	// attempts is how often one batch is tried.
	attempts int
	// pause is how long the first retry waits where the server does not say; it doubles each time,
	// up to longest. A server that asks for a longer wait than longest is not asked again.
	pause, longest time.Duration
	columns        int // of the first answer
}

// mostAnswer is the size in bytes of the largest answer that is read.
const mostAnswer = 256 << 20

func newEndpoint(base, model, key string, size int) *endpoint {
	return &endpoint{
		url: strings.TrimSuffix(base, "/") + "/embeddings", model: model, key: key, size: size,
		client: http.Client{Timeout: 2 * time.Minute}, attempts: 8, pause: time.Second, longest: 2 * time.Minute,
	}
}

func (e *endpoint) batch() int { return e.size }

func (e *endpoint) close() error {
	e.client.CloseIdleConnections()
	return nil
}

// retryable is a fault that may pass. The server may have said how long that takes.
type retryable struct {
	err   error
	after time.Duration
	told  bool
}

func (r *retryable) Error() string { return r.err.Error() }

func (r *retryable) Unwrap() error { return r.err }

func (e *endpoint) embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(struct {
		Model    string   `json:"model"`
		Input    []string `json:"input"`
		Encoding string   `json:"encoding_format"`
	}{e.model, texts, "float"})
	if err != nil {
		return nil, err
	}
	pause := e.pause
	for attempt := 1; ; attempt++ {
		vectors, err := e.ask(ctx, body, len(texts))
		var passing *retryable
		if err == nil {
			return vectors, nil
		}
		if !errors.As(err, &passing) || ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", e.url, err)
		}
		wait := pause
		if passing.told {
			wait = passing.after
		}
		switch {
		case attempt == e.attempts:
			return nil, fmt.Errorf("%s: %w, after %d attempts", e.url, err, attempt)
		case wait > e.longest:
			return nil, fmt.Errorf("%s: %w: it asks to wait for %v, this program waits for at most %v", e.url, err, wait, e.longest)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		pause = min(2*pause, e.longest)
	}
}

// ask makes one request.
func (e *endpoint) ask(ctx context.Context, body []byte, count int) ([][]float32, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		request.Header.Set("Authorization", "Bearer "+e.key)
	}
	response, err := e.client.Do(request)
	if err != nil {
		return nil, &retryable{err: err}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response)
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer+1))
	switch {
	case err != nil:
		return nil, &retryable{err: fmt.Errorf("the answer ends early: %w", err)}
	case len(answer) > mostAnswer:
		return nil, fmt.Errorf("the answer has more than %d bytes", mostAnswer)
	}
	return e.read(answer, count)
}

// refusal is the error of an answer that is not a success.
func refusal(response *http.Response) error {
	const most = 300
	text, _ := io.ReadAll(io.LimitReader(response.Body, most)) // the status is the error
	err := fmt.Errorf("the server says %s: %s", response.Status, bytes.ToValidUTF8(bytes.TrimSpace(text), []byte("?")))
	if code := response.StatusCode; code != http.StatusTooManyRequests && code != http.StatusRequestTimeout && code < 500 {
		return err
	}
	after, told := retryAfter(response.Header.Get("Retry-After"), time.Now())
	return &retryable{err: err, after: after, told: told}
}

// retryAfter reads the header of that name: seconds or a date.
func retryAfter(text string, now time.Time) (after time.Duration, told bool) {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now)), true
	}
	return 0, false
}

// read returns the vectors of an answer, in the order of the texts.
func (e *endpoint) read(answer []byte, count int) ([][]float32, error) {
	var parsed struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &parsed); err != nil {
		return nil, fmt.Errorf("the answer is not a list of embeddings in numbers: %w", err)
	}
	if len(parsed.Data) != count {
		return nil, fmt.Errorf("the answer has %d embeddings for %d texts", len(parsed.Data), count)
	}
	vectors := make([][]float32, count)
	for i, one := range parsed.Data {
		if one.Index != nil {
			i = *one.Index
		}
		switch {
		case i < 0 || i >= count:
			return nil, fmt.Errorf("the answer has an embedding of text %d of %d", i, count)
		case vectors[i] != nil:
			return nil, fmt.Errorf("the answer has two embeddings of text %d", i)
		case len(one.Embedding) == 0:
			return nil, fmt.Errorf("the embedding of text %d is empty", i)
		case e.columns == 0:
			e.columns = len(one.Embedding)
		case len(one.Embedding) != e.columns:
			return nil, fmt.Errorf("the embedding of text %d has %d columns, others %d", i, len(one.Embedding), e.columns)
		}
		vectors[i] = one.Embedding
	}
	return vectors, nil
}
