package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// linger is how long open connections have, once all requests are answered, to send one more and to
// be told that they should close.
const linger = time.Second

// connections is how many connections are open at once. More wait until one is closed.
const connections = 4096

// Serve answers the requests that listener accepts until ctx ends. Then it lets no new ones in,
// which get 503 and a connection that closes, answers those that it has let in, and returns nil.
// Requests that take longer than the limit Drain by then are cut off, which is an error.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	limits := &s.options.Limits
	open := &openConnections{Listener: listener, room: make(chan struct{}, connections)}
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: limits.Header, IdleTimeout: limits.Idle, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(open) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.drain()
	inTime, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.Drain)
	defer cancel()
	answered := make(chan struct{})
	go func() {
		s.accepted.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-inTime.Done():
		return errors.Join(errCutOff, server.Close())
	}
	open.waitUntilNone(linger)
	// Once nobody accepts, every connection that was accepted is one that Shutdown knows and waits
	// for, if it has sent something.
	_ = listener.Close()
	select {
	case <-ended:
	case <-time.After(linger): // no room for a connection
	}
	open.waitUntilNone(linger)
	if err := server.Shutdown(inTime); err != nil {
		return errors.Join(errCutOff, server.Close())
	}
	return nil
}

var errCutOff = errors.New("requests were cut off: they took longer than the time to drain")

// drain lets no more requests in.
func (s *Server) drain() {
	s.gate.Lock()
	defer s.gate.Unlock()
	s.draining = true
}

// openConnections is a listener that counts the connections it accepted, and has room for so many.
type openConnections struct {
	net.Listener
	room chan struct{}

	mutex sync.Mutex
	count int
	none  chan struct{} // closed when the count reaches zero, nil while nobody waits
}

func (o *openConnections) Accept() (net.Conn, error) {
	o.room <- struct{}{}
	accepted, err := o.Listener.Accept()
	if err != nil {
		<-o.room
		return nil, err
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.count++
	return &connection{Conn: accepted, of: o}, nil
}

// waitUntilNone returns when no connection is open, at the latest after some time.
func (o *openConnections) waitUntilNone(most time.Duration) {
	o.mutex.Lock()
	none := make(chan struct{})
	o.none = none
	if o.count == 0 {
		close(none)
		o.none = nil
	}
	o.mutex.Unlock()
	select {
	case <-none:
	case <-time.After(most):
	}
}

// connection is one of a listener that counts them.
type connection struct {
	net.Conn
	of   *openConnections
	once sync.Once
}

func (c *connection) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		<-c.of.room
		c.of.mutex.Lock()
		defer c.of.mutex.Unlock()
		if c.of.count--; c.of.count == 0 && c.of.none != nil {
			close(c.of.none)
			c.of.none = nil
		}
	})
	return err
}
