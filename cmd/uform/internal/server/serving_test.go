package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/server"
)

// listen starts a server that runs as the program runs it. end asks it to end; ended receives what
// Serve returns.
func listen(t *testing.T, options *server.Options) (s *site, end context.CancelFunc, ended <-chan error) {
	t.Helper()
	all, err := models()
	require.NoError(t, err)
	serving, err := server.New(all, options)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- serving.Serve(ctx, listener)
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		require.NoError(t, serving.Close())
	})
	return &site{serving, "http://" + listener.Addr().String()}, cancel, done
}

// dial opens a connection and sends the beginning of a request.
func (s *site) dial(t *testing.T, sends string) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { connection.Close() })
	require.NoError(t, connection.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = io.WriteString(connection, sends)
	require.NoError(t, err)
	return connection
}

func response(t *testing.T, connection net.Conn) (status int, closes bool, body string) {
	t.Helper()
	got, err := http.ReadResponse(bufio.NewReader(connection), nil)
	require.NoError(t, err)
	content, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	return got.StatusCode, got.Close, string(content)
}

// head is the header of a request with a body of so many bytes.
func head(bytes int) string {
	return fmt.Sprintf("POST /api/embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", bytes)
}

// A body, a header and an answer that take too long cost nobody else anything, and end.
func TestSlowClients(t *testing.T) {
	s, _, _ := listen(t, &server.Options{Limits: server.Limits{Read: 200 * time.Millisecond, Header: 200 * time.Millisecond, Requests: 1}})
	bodies := make([]net.Conn, 8)
	for i := range bodies {
		bodies[i] = s.dial(t, head(100)+`{"model":`)
	}
	headers := s.dial(t, "POST /api/embed HTTP/1.1\r\nHost:")
	require.Equal(t, 200, s.post(t, "/embed", `{"inputs":"a"}`).status, "the one place is not theirs")
	for _, connection := range bodies {
		status, closes, body := response(t, connection)
		require.Equal(t, 408, status)
		require.True(t, closes)
		require.Equal(t, `{"error":"the body did not arrive within 200ms"}`, body)
	}
	_, err := io.ReadAll(headers) // it is closed, with or without a word
	require.NoError(t, err)
	// A body that arrives in parts, and in time, is whole.
	parts := s.dial(t, head(29))
	for _, part := range []string{`{"model":"words",`, `"input":"a"}`} {
		time.Sleep(20 * time.Millisecond)
		_, err := io.WriteString(parts, part)
		require.NoError(t, err)
	}
	status, _, body := response(t, parts)
	require.Equal(t, 200, status, body)
	require.Zero(t, s.metric(t, "uform_memory_bytes"))
}

// A client that does not take its answer loses its connection, and one that comes again later does
// not.
func TestAnswersHaveATime(t *testing.T) {
	s, _, _ := listen(t, &server.Options{Limits: server.Limits{Write: 2 * time.Second}})
	kept := s.dial(t, head(29)+`{"model":"words","input":"a"}`)
	status, _, _ := response(t, kept)
	require.Equal(t, 200, status)
	body := `{"model":"words","input":` + quoted(slices.Repeat([]string{"a"}, 2000)) + `}`
	began := time.Now()
	deaf := s.dial(t, "")
	require.NoError(t, deaf.(*net.TCPConn).SetReadBuffer(4<<10))
	_, err := io.WriteString(deaf, head(len(body))+body)
	require.NoError(t, err)
	s.until(t, `uform_requests_total{code="200",route="/api/embed"}`, 2)
	require.Greater(t, time.Since(began), 2*time.Second, "the answer fills the buffers between the two")
	require.Zero(t, s.metric(t, "uform_memory_bytes"))
	_, err = io.WriteString(kept, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	status, _, _ = response(t, kept)
	require.Equal(t, 200, status)
}

// The time for the body is not one for the answer: a call may take longer.
func TestAnAnswerMayTakeLongerThanTheBody(t *testing.T) {
	s, _, _ := listen(t, &server.Options{Workers: 1, Limits: server.Limits{Read: 50 * time.Millisecond}})
	release := s.occupy(t)
	var group sync.WaitGroup
	var got answer
	s.ask(t, t.Context(), &group, `{"model":"words","input":"a"}`, func(a answer, err error) { got = a })
	s.until(t, `uform_queue_items{model="words"}`, 1)
	time.Sleep(150 * time.Millisecond)
	release()
	group.Wait()
	require.Equal(t, 200, got.status)
}

// Clients that leave in the middle of a body, or do not read, leave nothing behind.
func TestBrokenConnections(t *testing.T) {
	s, _, _ := listen(t, nil)
	for _, sends := range []string{head(100) + `{"model":`, head(100), "POST /api", head(29) + `{"model":"words","input":"a"}`, "\x16\x03\x01\x02\x00\x01", "GET / HTTP/9.9\r\n\r\n"} {
		s.dial(t, sends).Close()
	}
	s.until(t, "uform_requests_in_flight", 0)
	s.until(t, "uform_memory_bytes", 0)
	require.Equal(t, 200, s.post(t, "/embed", `{"inputs":"a"}`).status)
}

// When the server is asked to end, who was let in is answered, and others get 503.
func TestDraining(t *testing.T) {
	s, end, ended := listen(t, &server.Options{Workers: 1})
	release := s.occupy(t)
	half := s.dial(t, head(29)+`{"model":"words",`)
	idle := s.dial(t, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	status, closes, _ := response(t, idle)
	require.Equal(t, 200, status)
	require.False(t, closes)
	answers := make([]answer, 5)
	var group sync.WaitGroup
	for i := range answers {
		s.ask(t, t.Context(), &group, `{"model":"words","input":["a","b"]}`, func(a answer, err error) { answers[i] = a })
	}
	s.until(t, `uform_queue_items{model="words"}`, 10)
	// half is let in once its header has been read.
	require.Eventually(t, func() bool { return s.metric(t, "uform_memory_bytes") > 0 }, 20*time.Second, time.Millisecond)
	end()
	require.Eventually(t, func() bool { return s.get(t, "/healthz").status == 503 }, 20*time.Second, time.Millisecond)
	for path, want := range map[string]string{
		"/v1/embeddings": `"type":"server_error"`, "/api/embed": `{"error":"the server is about to end`, "/embed": `"error_type":"Unhealthy"`,
	} {
		got := s.post(t, path, `{"model":"words","input":"a","inputs":"a"}`)
		require.Equal(t, 503, got.status)
		require.Equal(t, "5", got.header.Get("Retry-After"))
		require.Contains(t, got.body, want)
	}
	// A connection that was open before is told to close, too.
	_, err := io.WriteString(idle, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	status, closes, _ = response(t, idle)
	require.Equal(t, 503, status)
	require.True(t, closes)
	select {
	case err := <-ended:
		require.Fail(t, "it has ended before it has answered", err)
	default:
	}
	_, err = io.WriteString(half, `"input":"a"}`)
	require.NoError(t, err)
	release()
	group.Wait()
	for _, got := range answers {
		require.Equal(t, 200, got.status)
	}
	status, closes, _ = response(t, half)
	require.Equal(t, 200, status)
	require.True(t, closes)
	require.NoError(t, <-ended)
	require.EqualValues(t, 7, s.Answered(), "the first, five and the half")
	_, err = s.send(t.Context(), "GET", "/healthz", nil)
	require.Error(t, err, "nobody listens any more")
}

// Requests that take longer than the time to drain are cut off, and Serve says so.
func TestDrainingHasALimit(t *testing.T) {
	s, end, ended := listen(t, &server.Options{Workers: 1, Limits: server.Limits{Drain: 50 * time.Millisecond}})
	release := s.occupy(t)
	defer release()
	end()
	require.ErrorContains(t, <-ended, "cut off")
}
