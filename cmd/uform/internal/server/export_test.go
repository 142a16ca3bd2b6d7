package server

import (
	"context"

	"github.com/unum-cloud/uform-go/uform"
)

// Occupy takes an executor of a model, so that the worker's next call waits, until release is
// called.
func (s *Server) Occupy(name string) (release func()) {
	model, _ := s.model(name)
	taken, let := make(chan struct{}), make(chan struct{})
	go func() {
		_ = model.queue.pool.Do(context.Background(), func(uform.On, *uform.Arena) error {
			close(taken)
			<-let
			return nil
		})
	}()
	<-taken
	return func() { close(let) }
}
