package server

import (
	"log/slog"
	"runtime"
	"time"
)

// Options say how a [Server] serves. The zero value has the default limits and no key.
type Options struct {
	Limits Limits
	// Workers is how many calls run at once for each model, each on a thread; 0 is one for each
	// core.
	Workers int
	// Keys are the keys of which a request must have one; none lets everybody in.
	Keys []string
	// LocalHost refuses requests whose Host header is neither an IP address nor localhost: a page
	// of another site must not reach a server without a key by a name of its own.
	LocalHost bool
	// Index is what the page and /search search; nil is none.
	Index *Index
	// Version is what Ollama's and text-embeddings-inference's clients get as the version.
	Version string
	// Log receives failures that are the server's; nil is none.
	Log *slog.Logger
}

// Limits bound what clients can ask for. A field of 0 is the default.
type Limits struct {
	// Body is the largest body of a request, in bytes: 16 MiB.
	Body int64
	// Items is the largest number of items in a request: 2048.
	Items int
	// Requests is how many requests are worked on at once: 512. More are refused with 429.
	Requests int
	// Queue is how many items wait for one model: 8192. What exceeds it is refused with 429.
	Queue int
	// Memory is how many bytes the bodies and the answers of all requests may take: 512 MiB. What
	// exceeds it is refused with 429.
	Memory int64
	// Header, Read and Write are the longest times that a client may take to send the header, to
	// send the body and to take the answer: 10, 30 and 60 seconds.
	Header, Read, Write time.Duration
	// Idle is how long a connection may stay open without a request: 2 minutes.
	Idle time.Duration
	// Batch is the largest number of texts in one call of the encoder: 32.
	Batch int
	// Drain is how long requests may take that are under way when the server is asked to end: 30
	// seconds. Then they are cut off.
	Drain time.Duration
}

// orDefault sets a field that is zero.
func orDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// withDefaults returns the options with the defaults in place of zeroes.
func (o *Options) withDefaults() Options {
	var with Options
	if o != nil {
		with = *o
	}
	l := &with.Limits
	orDefault(&l.Body, 16<<20)
	orDefault(&l.Items, 2048)
	orDefault(&l.Requests, 512)
	orDefault(&l.Queue, 8192)
	orDefault(&l.Memory, 512<<20)
	orDefault(&l.Header, 10*time.Second)
	orDefault(&l.Read, 30*time.Second)
	orDefault(&l.Write, time.Minute)
	orDefault(&l.Idle, 2*time.Minute)
	orDefault(&l.Batch, 32)
	orDefault(&l.Drain, 30*time.Second)
	orDefault(&with.Workers, runtime.GOMAXPROCS(0))
	if with.Log == nil {
		with.Log = slog.New(slog.DiscardHandler)
	}
	return with
}

// Defaults are the limits of the zero [Options].
func Defaults() Limits { return (*Options)(nil).withDefaults().Limits }
