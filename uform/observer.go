package uform

import (
	"context"
	stderrors "errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// Observer counts the calls of the libraries that it is given to, and logs them where it has a
// Logger. The zero value counts. Pass it to [Library.Observe]. Goroutines and libraries may
// share an Observer; it must not be copied.
type Observer struct {
	// Logger gets one record when a call is over, with the verb as its message: at debug level
	// where it succeeded, as a warning where it failed. Attributes are items, input_bytes,
	// output_bytes, duration and, of a failure, error. Nil logs nothing. The field must not change
	// while the Observer is in use. The logger's handler must neither wait for calls nor close what
	// they name, because a deferred call may wait for the handler.
	Logger *slog.Logger

	calls, failed, contended, cancelled atomic.Uint64
	inputBytes, outputBytes, growths    atomic.Uint64
	inFlight                            atomic.Int64
}

// Counters are what an [Observer] has counted. All but InFlight only ever grow.
type Counters struct {
	// Calls is how many calls have ended, loads of models included. Failed is how many of those
	// failed; Contended and Cancelled are how many of the failed ones had that status.
	Calls, Failed, Contended, Cancelled uint64
	// InFlight is how many calls have begun and have not ended.
	InFlight int64
	// InputBytes is the input of calls that have ended, OutputBytes the output in arenas of those
	// that succeeded.
	InputBytes, OutputBytes uint64
	// Growths is how many calls left more in their arena than it had ever held, so that it had to
	// grow. In a steady loop it stands still.
	Growths uint64
}

// Observe makes observer receive the calls that begin from now on, in place of the former observer;
// nil means none, which costs nothing. A call in flight stays with the observer that it began with.
// Each Library has an observer of its own, also where two were opened over the same shared
// library. It calls no C entry point.
func (l *Library) Observe(observer *Observer) { l.observer.Store(observer) }

// Counters returns what the observer has seen so far.
func (o *Observer) Counters() Counters {
	return Counters{
		Calls: o.calls.Load(), Failed: o.failed.Load(), Contended: o.contended.Load(), Cancelled: o.cancelled.Load(),
		InFlight:   o.inFlight.Load(),
		InputBytes: o.inputBytes.Load(), OutputBytes: o.outputBytes.Load(), Growths: o.growths.Load(),
	}
}

// span is one call under observation, nil where nobody observes.
type span struct {
	observer     *Observer
	ctx          context.Context
	verb         string
	items, bytes int
	begun        time.Time
}

// observe begins the observation of a call in s, and returns s, or nil where nobody observes.
// extent returns how many items go into the call, of how many bytes.
func (l *Library) observe(ctx context.Context, verb string, s *span, extent func() (items, bytes int)) *span {
	observer := l.observer.Load()
	if observer == nil {
		return nil
	}
	observer.inFlight.Add(1)
	*s = span{observer: observer, ctx: ctx, verb: verb, begun: time.Now()}
	s.items, s.bytes = extent()
	return s
}

// end reports that the call is over. The lease is what it wrote to, if anything.
func (s *span) end(lease lending.Lease, err error) {
	if s == nil {
		return
	}
	o := s.observer
	o.inFlight.Add(-1)
	o.inputBytes.Add(uint64(s.bytes))
	written := 0
	if err == nil {
		var grew bool
		if written, grew = lease.Written(); grew {
			o.growths.Add(1)
		}
		o.outputBytes.Add(uint64(written))
	} else {
		o.failed.Add(1)
		switch {
		case stderrors.Is(err, errors.ErrContended):
			o.contended.Add(1)
		case stderrors.Is(err, errors.ErrCancelled):
			o.cancelled.Add(1)
		}
	}
	// Last, so that whoever has seen a call over has seen all of it.
	o.calls.Add(1)
	s.log(written, err)
}

func (s *span) log(written int, err error) {
	level := slog.LevelDebug
	if err != nil {
		level = slog.LevelWarn
	}
	logger := s.observer.Logger
	if logger == nil || !logger.Enabled(s.ctx, level) {
		return
	}
	attributes := [...]slog.Attr{
		slog.Int("items", s.items), slog.Int("input_bytes", s.bytes), slog.Int("output_bytes", written),
		slog.Duration("duration", time.Since(s.begun)), slog.Any("error", err),
	}
	used := len(attributes)
	if err == nil {
		used--
	}
	logger.LogAttrs(s.ctx, level, s.verb, attributes[:used]...)
}
