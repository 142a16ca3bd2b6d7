package uform

import (
	"context"
	stderrors "errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/deferred"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/handle"
	"github.com/unum-cloud/uform-go/internal/inflight"
	"github.com/unum-cloud/uform-go/internal/lending"
)

// verb is one entry point that the receivers of a model, or of a trainer, offer: what is particular
// to it. The ways that a call can go are blockAt and submitAt, written once for all verbs.
type verb[Arguments, Inputs, Result any] struct {
	name string
	// entry is the verb's place in the table.
	entry func(*abi.Library) func(*Arguments)
	// enter calls the library in the place of entry, for a verb that has another way in; else nil.
	enter func(*Model, *box[Arguments, Inputs])
	// extent is how many items the inputs have, of how many bytes. It takes inputs that check would
	// refuse too.
	extent func(*Inputs) (items, bytes int)
	// trains is whether the receivers are a trainer's.
	trains bool
	// check refuses inputs that the library could not: those whose memory it cannot see the end of.
	// The model is nil for a trainer's verbs.
	check func(*Model, *Inputs) error
	// overlaps reports whether an input lies in the outputs that the arena holds; nil where there
	// is no arena.
	overlaps func(*Inputs, *lending.Arena) bool
	// spares is whether the verb needs no arena.
	spares bool
	// own replaces inputs by copies.
	own func(*Inputs)
	// place fills in the arguments from the box's inputs and a frame.
	place func(*box[Arguments, Inputs], frame)
	// result takes the result of a call that succeeded.
	result func(*box[Arguments, Inputs], *Model, lending.Lease) (Result, error)

	// boxes keeps the boxes of blocking calls, so that a steady loop allocates none.
	boxes sync.Pool
}

// box is everything that the library reads and writes during a call, in one object of the heap.
type box[Arguments, Inputs any] struct {
	outcome    abi.Outcome
	arguments  Arguments
	_          [abi.ReservedTail]byte
	embeddings abi.RowsView
	ragged     abi.RowsTapeView
	inputs     Inputs
	observed   span
	names      names
	blocking   inflight.Blocking
	pinner     runtime.Pinner
}

// frame is what the argument structs of all verbs have in common.
type frame struct {
	model         abi.Model
	trainer       abi.Trainer
	executor      abi.Executor
	outcome       *abi.Outcome
	completion    abi.Completion
	progress      abi.Progress
	progressState uintptr
	arena         abi.Arena
}

// receiver is where a model's verb runs.
type receiver struct {
	model    *Model
	executor *Executor
}

// trainerReceiver is where a trainer's verb runs.
type trainerReceiver struct {
	trainer  *Trainer
	executor *Executor
}

// site is either of them.
type site struct {
	model    *Model
	trainer  *Trainer
	executor *Executor
}

func (r receiver) site() site { return site{model: r.model, executor: r.executor} }

func (r trainerReceiver) site() site { return site{trainer: r.trainer, executor: r.executor} }

// owner is the handle of a site's model or trainer.
type owner interface {
	BeginCall() bool
	EndCall()
	Track(handle.Call)
	Untrack(handle.Call)
}

func (s site) owner() owner {
	if s.trainer != nil {
		return s.trainer.handle
	}
	return s.model.handle
}

// library is that of the model or the trainer, nil without either.
func (s site) library() *Library {
	switch {
	case s.trainer != nil:
		return s.trainer.library
	case s.model != nil:
		return s.model.library
	}
	return nil
}

// callingThread stands for the executor of the bare receiver, which has none: a nil one is a
// mistake.
var callingThread = new(Executor)

// names are the handles that one call names.
type names struct {
	site
	into *lending.Arena
}

// use is what one call uses, from begin to end.
type use struct {
	names
	lease    lending.Lease
	lent     bool
	blocking *inflight.Blocking // nil where the call is deferred
	reporter *inflight.Reporter
}

var (
	errNoTrainer   = stderrors.New("the trainer is nil")
	errNoModel     = stderrors.New("the model is nil")
	errNoExecutor  = stderrors.New("the executor is nil: make one with Library.NewExecutor")
	errNoArena     = stderrors.New("the arena is nil: make one with Library.NewArena")
	errForeign     = stderrors.New("the handles belong to different libraries")
	errInArena     = stderrors.New("an input lies in the arena that the call rewinds: copy it, or name another arena")
	errRate        = stderrors.New("the sample rate is negative or above 2147483647 Hz")
	errNotAnswered = stderrors.New("the library returned without writing the outcome")
	errHollow      = stderrors.New("the library reports success but left no output")
)

// block runs the verb of a model and returns when it is final.
func (v *verb[A, I, R]) block(ctx context.Context, on receiver, into *Arena, progress Handler, inputs I) (R, error) {
	return v.blockAt(ctx, on.site(), into, progress, inputs)
}

// submit runs the verb of a model and returns when it is submitted.
func (v *verb[A, I, R]) submit(ctx context.Context, on receiver, into *Arena, progress Handler, inputs I) (*deferred.Call[R], error) {
	return v.submitAt(ctx, on.site(), into, progress, inputs)
}

// blockAt runs the verb and returns when it is final.
func (v *verb[A, I, R]) blockAt(ctx context.Context, on site, into *Arena, progress Handler, inputs I) (result R, err error) {
	b, _ := v.boxes.Get().(*box[A, I])
	if b == nil {
		b = new(box[A, I])
	}
	b.inputs = inputs
	defer v.recycle(b)
	var using use
	observed := v.observe(ctx, on, b)
	if observed != nil {
		defer func() { observed.end(using.lease, err) }()
	}
	if using, err = v.begin(ctx, on, (*lending.Arena)(into), progress, b, abi.CompletionBlocking); err != nil {
		return result, err
	}
	v.call(b, using, abi.CompletionBlocking)
	result, err = v.answer(b, using)
	using.end()
	if using.executor != nil {
		using.executor.settle()
	}
	if raised := using.reporter.Panic(); raised != nil {
		panic(raised)
	}
	return result, err
}

// observe begins the observation of a call, where somebody observes.
func (v *verb[A, I, R]) observe(ctx context.Context, on site, b *box[A, I]) *span {
	library := on.library()
	if library == nil || library.observer.Load() == nil {
		return nil
	}
	return library.observe(ctx, v.name, &b.observed, func() (items, bytes int) { return v.extent(&b.inputs) })
}

// recycle keeps the box for another call, but neither the caller's inputs nor an arena's addresses
// with it.
func (v *verb[A, I, R]) recycle(b *box[A, I]) {
	*b = box[A, I]{}
	v.boxes.Put(b)
}

// submitAt runs the verb and returns when it is submitted. A call that is refused at once is an
// error here already.
func (v *verb[A, I, R]) submitAt(ctx context.Context, on site, into *Arena, progress Handler, inputs I) (*deferred.Call[R], error) {
	b := &box[A, I]{inputs: inputs}
	observed := v.observe(ctx, on, b)
	using, err := v.begin(ctx, on, (*lending.Arena)(into), progress, b, abi.CompletionDeferring)
	if err != nil {
		observed.end(lending.Lease{}, err)
		return nil, err
	}
	v.own(&b.inputs)
	b.pinner.Pin(b)
	var pending *inflight.Pending
	settle := func(*abi.Outcome) {
		b.pinner.Unpin()
		using.Untrack(pending)
		using.end()
	}
	call, pending := inflight.Prepare(inflight.Submission{
		Verb: v.name, Library: on.library().table, Outcome: &b.outcome, Reporter: using.reporter,
		Holder: on.executor.holder, Keeps: using.reporter != nil || observed != nil, Settle: settle,
	}, func(*abi.Outcome) (R, error) {
		result, err := v.answer(b, using)
		observed.end(using.lease, err)
		// Who keeps the Call keeps the box, but not the inputs with it.
		var inputs I
		var arguments A
		b.inputs, b.arguments = inputs, arguments
		return result, err
	})
	// Whoever closes a handle from here on finds the call, though not before it is submitted.
	using.Track(pending)
	if using.lent {
		using.lease.Hold(pending)
	}
	v.call(b, using, abi.CompletionDeferring)
	if status := b.outcome.Load(); status != abi.StatusDeferred && status != abi.StatusSuccess && using.reporter.Panic() == nil {
		pending.Library.OutcomeWait(&b.outcome)
		_, err := v.answer(b, using)
		observed.end(using.lease, err)
		settle(&b.outcome)
		pending.Abandon()
		return nil, err
	}
	pending.Start()
	return (*deferred.Call[R])(call), nil
}

// begin checks what the binding can know and takes what the call uses, or nothing where it returns
// an error.
func (v *verb[A, I, R]) begin(
	ctx context.Context, on site, into *lending.Arena, progress Handler, b *box[A, I], completion abi.Completion,
) (using use, err error) {
	refuse := func(status errors.Status, cause error) (use, error) {
		return use{}, errors.New(v.name, status, errors.NoItem, cause)
	}
	bare := on.executor == callingThread
	switch {
	case v.trains && on.trainer == nil:
		return refuse(errors.ErrInvalidArgument, errNoTrainer)
	case !v.trains && on.model == nil:
		return refuse(errors.ErrInvalidArgument, errNoModel)
	case on.executor == nil:
		return refuse(errors.ErrInvalidArgument, errNoExecutor)
	case v.overlaps != nil && into == nil && !v.spares:
		return refuse(errors.ErrInvalidArgument, errNoArena)
	case !bare && on.executor.library.table != on.library().table,
		into != nil && into.Library() != on.library().table:
		return refuse(errors.ErrInvalidArgument, errForeign)
	case ctx.Err() != nil:
		return refuse(errors.ErrCancelled, context.Cause(ctx))
	}
	if err := v.check(on.model, &b.inputs); err != nil {
		return use{}, err
	}
	if into != nil && v.overlaps(&b.inputs, into) {
		return refuse(errors.ErrInvalidArgument, errInArena)
	}
	if bare {
		on.executor = nil
	}
	b.names = names{on, into}
	var blocking *inflight.Blocking
	if completion == abi.CompletionBlocking {
		blocking = &b.blocking
	}
	// Before anything is used: the held call that is waited for here may close it.
	if err := on.executor.enter(ctx, v.name, blocking, &b.names); err != nil {
		return use{}, err
	}
	if using, err = v.take(b.names); err != nil {
		on.executor.leave(blocking)
		return use{}, err
	}
	using.blocking = blocking
	if using.reporter = inflight.NewReporter(ctx, progress); using.reporter != nil {
		using.Track(using.reporter)
	}
	return using, nil
}

// take begins the use of what the call names, or of nothing where it returns an error.
func (v *verb[A, I, R]) take(on names) (use, error) {
	if !on.owner().BeginCall() {
		what := "model"
		if v.trains {
			what = "trainer"
		}
		return use{}, errors.New(v.name, errors.ErrInvalidArgument, errors.NoItem, closed(what))
	}
	using := use{names: on}
	if on.executor != nil && !on.executor.handle.BeginCall() {
		on.owner().EndCall()
		return use{}, errors.New(v.name, errors.ErrInvalidArgument, errors.NoItem, closed("executor"))
	}
	if on.into != nil {
		var err error
		if using.lease, err = on.into.Begin(v.name); err != nil {
			using.end()
			return use{}, err
		}
		using.lent = true
	}
	return using, nil
}

// call runs the entry point.
func (v *verb[A, I, R]) call(b *box[A, I], using use, completion abi.Completion) {
	table := using.library().table
	f := frame{outcome: &b.outcome, completion: completion}
	if v.trains {
		f.trainer = using.trainer.handle.Value()
	} else {
		f.model = using.model.handle.Value()
	}
	if using.executor != nil {
		f.executor = using.executor.handle.Value()
	}
	if using.lent {
		f.arena = using.lease.Arena()
	}
	if using.reporter != nil {
		f.progress, f.progressState = table.ProgressCallback, using.reporter.State()
	}
	// A zeroed outcome reads as success, also where nobody ever wrote it.
	b.outcome.Status = abi.StatusUnknown
	v.place(b, f)
	if v.enter != nil {
		v.enter(using.model, b)
		return
	}
	v.entry(table)(&b.arguments)
}

// answer is the result of a final call, or its error.
func (v *verb[A, I, R]) answer(b *box[A, I], using use) (result R, err error) {
	if err = outcomeOf(v.name, &b.outcome, using.reporter); err == nil {
		return v.result(b, using.model, using.lease)
	}
	failure := err.(*errors.Error)
	switch failure.Status {
	case errors.ErrCancelled:
		if cause := using.reporter.Cause(); cause != nil {
			failure.Cause = cause
		}
	case errors.ErrContended, errors.ErrDevice, errors.ErrInvalidArgument, errors.ErrUnsupported:
		// Only a call that has begun finds fault with an item; the others left the arena as it was.
		if using.lent && failure.Item == errors.NoItem {
			using.lease.Refuse()
		}
	case errors.ErrUnknown:
		if failure.Cause == nil {
			failure.Cause = errNotAnswered
		}
	}
	return result, err
}

// outcomeOf is how a final call ended. A handler that panicked has cancelled it, also where the
// library had nothing left to cancel.
func outcomeOf(verb string, outcome *abi.Outcome, reporter *inflight.Reporter) error {
	if raised := reporter.Panic(); raised != nil && outcome.Load() == abi.StatusSuccess {
		return errors.New(verb, errors.ErrCancelled, errors.NoItem, raised)
	}
	return errors.Of(verb, outcome)
}

// Track lets the handles find the call when they are closed.
func (n *names) Track(call handle.Call) {
	n.owner().Track(call)
	if n.executor != nil {
		n.executor.handle.Track(call)
	}
	if n.into != nil {
		n.into.Track(call)
	}
}

// Untrack has them forget it.
func (n *names) Untrack(call handle.Call) {
	n.owner().Untrack(call)
	if n.executor != nil {
		n.executor.handle.Untrack(call)
	}
	if n.into != nil {
		n.into.Untrack(call)
	}
}

// end gives back what begin took.
func (u *use) end() {
	if u.blocking != nil {
		u.executor.leave(u.blocking)
	}
	if u.reporter != nil {
		u.Untrack(u.reporter)
		u.reporter.Release()
	}
	if u.lent {
		u.lease.End()
	}
	if u.executor != nil {
		u.executor.handle.EndCall()
	}
	u.owner().EndCall()
}

func closed(what string) error { return fmt.Errorf("the %s is %w", what, errors.ErrClosed) }
