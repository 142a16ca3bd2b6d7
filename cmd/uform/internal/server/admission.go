package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

// admission is a request that was let in, with the memory it has reserved.
type admission struct {
	server   *Server
	request  *http.Request
	reserved int64
}

// reserve takes bytes of the memory that all requests share, and reports whether there were any.
func (a *admission) reserve(bytes int64) bool {
	if a.server.memory.Add(bytes) > a.server.options.Limits.Memory {
		a.server.memory.Add(-bytes)
		return false
	}
	a.reserved += bytes
	return true
}

func (a *admission) release() { a.server.memory.Add(-a.reserved) }

var errMemory = refuse(overloaded, "", "the requests under way take all the memory that they may: try again later")

// enter lets a request in, unless the server drains. Who was let in must leave accepted.
func (s *Server) enter() bool {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.draining {
		return false
	}
	s.accepted.Add(1)
	return true
}

// route adds a route whose handler gets the body, nil for GET, and returns the answer in JSON.
func (s *Server) route(method, path string, api *api, handle func(*admission, []byte) ([]byte, *refusal)) {
	s.routes.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		a := &admission{server: s, request: r}
		defer a.release()
		var answer []byte
		refused := s.guard.key(r)
		switch {
		case refused != nil:
			w.Header().Set("WWW-Authenticate", "Bearer")
		case method == "GET":
			answer, refused = handle(a, nil)
		case !s.enter():
			refused = errDraining
		default:
			defer s.accepted.Done()
			if answer, refused = s.work(w, a, handle); refused == nil {
				s.answered.Add(1)
			}
		}
		status := http.StatusOK
		if refused == nil {
			s.write(w, status, answer)
			reuse(answer)
		} else if refused.reason == cancelled && r.Context().Err() != nil {
			status = refused.reason.status()
		} else {
			status = s.refuse(w, api, refused)
		}
		s.metrics.requests.WithLabelValues(path, strconv.Itoa(status)).Inc()
		s.metrics.seconds.WithLabelValues(path).Observe(time.Since(began).Seconds())
		if status == cancelled.status() {
			panic(http.ErrAbortHandler) // nobody is there: no answer, and the connection ends
		}
	})
}

var (
	errDraining = refuse(draining, "", "the server is about to end: ask another, or try again later")
	errBusy     = refuse(overloaded, "", "too many requests are under way: try again later")
)

// work reads the body and handles it. Bodies that arrive slowly do not take the places of others.
func (s *Server) work(w http.ResponseWriter, a *admission, handle func(*admission, []byte) ([]byte, *refusal)) ([]byte, *refusal) {
	body, refused := s.readBody(w, a)
	if refused != nil {
		return nil, refused
	}
	select {
	case s.slots <- struct{}{}:
	default:
		return nil, errBusy
	}
	s.metrics.inFlight.Inc()
	defer func() {
		s.metrics.inFlight.Dec()
		<-s.slots
	}()
	return handle(a, body)
}

// readBody reads a body to its end, within the limits of size, time and memory.
func (s *Server) readBody(w http.ResponseWriter, a *admission) ([]byte, *refusal) {
	r, limit := a.request, s.options.Limits.Body
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, refuse(invalid, "", "the body is encoded as %q: send it as it is", encoding)
	}
	if r.ContentLength > limit {
		return nil, errLarge(limit)
	}
	control := http.NewResponseController(w)
	// A writer of a test has no deadlines, and needs none.
	_ = control.SetReadDeadline(time.Now().Add(s.options.Limits.Read))
	body := make([]byte, 0, 4<<10)
	if !a.reserve(int64(cap(body))) {
		return nil, errMemory
	}
	for {
		if len(body) == cap(body) {
			if !a.reserve(int64(cap(body))) {
				return nil, errMemory
			}
			body = append(make([]byte, 0, 2*cap(body)), body...)
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return nil, errLarge(limit)
		case err == nil:
			continue
		case errors.Is(err, io.EOF):
			_ = control.SetReadDeadline(time.Time{}) // else it would end the wait for the answer
			return body, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			w.Header().Set("Connection", "close")
			return nil, refuse(tooSlow, "", "the body did not arrive within %v", s.options.Limits.Read)
		case r.Context().Err() != nil, errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errGone
		}
		return nil, refuse(invalid, "", "the body cannot be read: %v", err)
	}
}

var errGone = refuse(cancelled, "", "the client is gone")

func errLarge(limit int64) *refusal {
	return refuse(tooLarge, "", "the body has more than %d bytes: send less at once", limit)
}

// refuse writes a refusal in the shape of an API, and returns the status.
func (s *Server) refuse(w http.ResponseWriter, api *api, refused *refusal) int {
	status, body := api.failure(refused)
	switch refused.reason {
	case overloaded:
		w.Header().Set("Retry-After", "1")
	case draining:
		w.Header().Set("Retry-After", "5")
	case internal:
		s.options.Log.Error("a request failed", "error", refused.message)
	}
	s.write(w, status, asJSON(body))
	return status
}

// write writes an answer. A client that does not take it in time loses its connection.
func (s *Server) write(w http.ResponseWriter, status int, answer []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.options.Limits.Write))
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(answer)))
	header.Set("X-Content-Type-Options", "nosniff")
	s.gate.RLock()
	if s.draining {
		header.Set("Connection", "close")
	}
	s.gate.RUnlock()
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}

// asJSON is a value that can be written as JSON.
func asJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // the types of answers are this package's own
	}
	return text
}
