package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/unum-cloud/uform-go/uform"
)

// Named is a model under the name that clients ask for.
type Named struct {
	Name  string
	Model *uform.Model
}

// Server answers requests for embeddings. It is an [http.Handler], and [Server.Serve] is the usual
// way to run it. Goroutines may share it.
type Server struct {
	options Options
	models  []*served // in the order they were given; the first serves APIs without names
	metrics *metrics
	routes  *http.ServeMux
	guard   guard
	page    page

	slots  chan struct{} // one for each request that is worked on
	memory atomic.Int64  // bytes of bodies and answers

	gate     sync.RWMutex
	draining bool
	accepted sync.WaitGroup // requests that were let in and are not answered yet
	answered atomic.Uint64  // of those, the ones that got what they asked for
	started  time.Time
}

// served is a model with its queue.
type served struct {
	name        string
	model       *uform.Model
	description uform.ModelDescription
	queue       *queue
}

// New returns a server of models, which must have names that differ and stay open until Close.
func New(models []Named, options *Options) (*Server, error) {
	s := &Server{options: options.withDefaults(), metrics: newMetrics(), routes: http.NewServeMux(), started: time.Now()}
	s.slots = make(chan struct{}, s.options.Limits.Requests)
	s.guard = newGuard(&s.options)
	s.page = newPage()
	if len(models) == 0 {
		return nil, errors.New("a server needs a model")
	}
	for _, named := range models {
		if _, known := s.model(named.Name); known || named.Name == "" {
			return nil, errors.Join(fmt.Errorf("the name %q of a model is empty or there twice: name it by name=path", named.Name), s.Close())
		}
		description, err := named.Model.Describe(context.Background())
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		queue, err := newQueue(named.Model, &modelMetrics{all: s.metrics, name: named.Name}, &s.options)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.models = append(s.models, &served{name: named.Name, model: named.Model, description: description, queue: queue})
		s.metrics.gauge("uform_queue_items", "Items that wait for a worker.", prometheus.Labels{"model": named.Name},
			func() float64 { return float64(queue.waits()) })
	}
	s.metrics.gauge("uform_memory_bytes", "Bytes of bodies and answers of requests that are worked on.", nil,
		func() float64 { return float64(s.memory.Load()) })
	s.addRoutes()
	return s, nil
}

// Answered is how many requests for vectors, or searches, got them.
func (s *Server) Answered() uint64 { return s.answered.Load() }

// Close frees the queues, once all requests are answered. The models stay open. No request may
// follow.
func (s *Server) Close() (err error) {
	s.accepted.Wait()
	for _, model := range s.models {
		err = errors.Join(err, model.queue.close())
	}
	s.models = nil
	return err
}

// model returns the model with a name. Ollama's clients may add ":latest" to it.
func (s *Server) model(name string) (*served, bool) {
	for _, model := range s.models {
		if model.name == name || model.name == strings.TrimSuffix(name, ":latest") {
			return model, true
		}
	}
	return nil, false
}

// api is how an API writes errors.
type api struct {
	// failure is the status and the body, to be written as JSON, of a refusal.
	failure func(*refusal) (status int, body any)
}

// ofPath is the API that a path belongs to, for errors of paths that are no route.
func ofPath(path string) *api {
	switch {
	case strings.HasPrefix(path, "/api/"):
		return ollama
	case path == "/embed", path == "/info":
		return inference
	}
	return openAI
}

func (s *Server) addRoutes() {
	for path, e := range map[string]*endpoint{
		"/v1/embeddings":  openAIEmbeddings,
		"/api/embed":      ollamaEmbed,
		"/api/embeddings": ollamaEmbeddings,
		"/embed":          inferenceEmbed,
	} {
		s.route("POST", path, e.api, func(a *admission, body []byte) ([]byte, *refusal) { return s.embed(a, e, body) })
	}
	s.route("GET", "/v1/models", openAI, s.listOpenAI)
	s.route("GET", "/v1/models/{id}", openAI, s.showOpenAI)
	s.route("GET", "/api/tags", ollama, s.listOllama)
	s.route("GET", "/api/version", ollama, s.versionOllama)
	s.route("GET", "/info", inference, s.infoInference)
	s.route("POST", "/search", openAI, s.search)
	s.routes.HandleFunc("GET /healthz", s.health)
	s.routes.HandleFunc("GET /health", s.health)
	s.routes.Handle("GET /metrics", s.guard.keyed(s.metrics.handler))
	s.routes.Handle("GET /{$}", s.page)
	s.routes.HandleFunc("/", s.noRoute)
}

// health is 200, and 503 from the moment on that the server is asked to end.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	s.gate.RLock()
	defer s.gate.RUnlock()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if s.draining {
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "draining")
		return
	}
	fmt.Fprintln(w, "ok")
}

// noRoute refuses what no route takes: with 405 where another method would be right.
func (s *Server) noRoute(w http.ResponseWriter, r *http.Request) {
	for _, method := range []string{"GET", "POST"} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.routes.Handler(other); pattern != "/" && method != r.Method {
			w.Header().Set("Allow", method)
			s.turnAway(w, r, refuse(wrongMethod, "", "%s takes %s, not %s", r.URL.Path, method, r.Method))
			return
		}
	}
	s.turnAway(w, r, refuse(unknownRoute, "", "there is no %s here", r.URL.Path))
}

// turnAway refuses a request that got to no route.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request, refused *refusal) {
	status := s.refuse(w, ofPath(r.URL.Path), refused)
	s.metrics.requests.WithLabelValues("other", strconv.Itoa(status)).Inc()
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// For answers that do not pass write, such as the page.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.options.Limits.Write))
	if refused := s.guard.origin(r); refused != nil {
		s.turnAway(w, r, refused)
		return
	}
	s.routes.ServeHTTP(w, r)
}
