package uform

import (
	"context"
	stderrors "errors"
	"io/fs"
	"runtime"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/handle"
	"github.com/unum-cloud/uform-go/internal/lending"
	"github.com/unum-cloud/uform-go/platform"
)

// Model is weights, loaded once and used by any number of calls. Goroutines may share it: calls on
// the calling goroutine's thread may even run at once, each with an arena of its own.
//
// Its methods run verbs on the calling goroutine's thread; [Model.On] and [Model.Deferred] are the
// other receivers.
type Model struct {
	library     *Library
	handle      *handle.Handle[abi.Model]
	details     abi.ModelDetails
	description ModelDescription

	// arenas serve Embed; the garbage collector empties the pool and with it frees them.
	arenas sync.Pool
}

// LoadOptions say how a model is loaded. The zero value loads on the calling goroutine's thread and
// keeps the weights as the file has them.
type LoadOptions struct {
	// Executor loads and packs the weights, and its memory holds them; nil means the calling
	// goroutine's thread and host pages.
	Executor *Executor
	// Scalar is the kind to pack the weights to, [F32] or [BF16]; 0 keeps the file's own. The
	// embedded engine takes [I8], too: about twice as fast and half the memory of [BF16], for
	// embeddings that are close to those of [F32] and no longer equal.
	Scalar Scalar
	// LaneShare is the lexical lane's part of the squared length of each text's embedding, above 0
	// and below 1; 0 keeps the checkpoint's own. A larger one ranks more by spelling, a smaller one
	// more by meaning. Package words has 0.3: from there to 0.6 its figure on the STS benchmark's
	// development split falls from .827 to .812, and the share of package descriptions that find
	// their sentence from .77 to .73. Vectors of different shares should not be compared. A model
	// without a lane, and every model on a shared library, is [ErrUnsupported].
	LaneShare float64
	// Progress receives reports of the load in bytes.
	Progress Handler
}

// Load loads a checkpoint from a path, or the model of somebody else in a folder: as Hugging Face
// lays it out, with config.json, the tokenizer's files and the weights in safetensors. The
// [ModelDescription] tells which it is. A context that ends, or a handler that returns an error,
// cancels it. The files must not be changed while the model is in use, since the embedded engine
// maps them, but others may take their paths, as a rename or [TrainerOn.Save] does.
//
// A path that cannot be read, or is neither a folder nor a regular file, is [ErrIO], a file that is
// no checkpoint [ErrMalformed], and both name the path; one that memory does not hold is
// [ErrOutOfMemory], a kind that the library does not pack weights to [ErrUnsupported]. A folder
// whose architecture, tokenizer or file the engine lacks is [ErrUnsupported] and named, and so is
// every folder on a shared library: OpenOptions.Embedded opens one that loads them. It calls
// uform_model_load, or uform_model_load_vram for an executor over GPU streams.
func (l *Library) Load(ctx context.Context, path string, options *LoadOptions) (*Model, error) {
	return l.load(ctx, checkpoint{path: path}, options)
}

// LoadBytes loads a checkpoint from memory. The embedded engine reads it in place until the model
// is freed, so it must not be changed; a shared library gets it through a private file. It calls
// what [Library.Load] calls, or the engine's extension for bytes.
func (l *Library) LoadBytes(ctx context.Context, bytes []byte, options *LoadOptions) (*Model, error) {
	return l.load(ctx, checkpoint{bytes: bytes, inMemory: true}, options)
}

// LoadFS loads a checkpoint, or the model of a folder, from a file system, such as one that is
// embedded in the program: it reads all of the file, and is [Library.LoadBytes] then, or reads the
// files of the folder, and is otherwise [Library.Load]. A file that cannot be read, or is no
// regular file, is [ErrIO]. For a folder it calls the engine's extension for file systems.
func (l *Library) LoadFS(ctx context.Context, fsys fs.FS, name string, options *LoadOptions) (*Model, error) {
	if ctx.Err() != nil {
		return nil, errors.New(loadingModel, errors.ErrCancelled, errors.NoItem, context.Cause(ctx))
	}
	if info, err := fs.Stat(fsys, name); err == nil && info.IsDir() {
		return l.load(ctx, checkpoint{path: name, files: fsys}, options)
	}
	bytes, err := platform.ReadRegularFS(fsys, name)
	if err != nil {
		return nil, errors.New(loadingModel, errors.ErrIO, errors.NoItem, err)
	}
	return l.LoadBytes(ctx, bytes, options)
}

const loadingModel = "load model"

func (l *Library) load(ctx context.Context, from checkpoint, options *LoadOptions) (model *Model, err error) {
	observed := l.observe(ctx, loadingModel, new(span), func() (items, bytes int) { return 1, len(from.bytes) })
	defer func() { observed.end(lending.Lease{}, err) }()
	if options == nil {
		options = new(LoadOptions)
	}
	if options.LaneShare != 0 && l.table.ModelShareLane == nil {
		return nil, errors.New(loadingModel, errors.ErrUnsupported, errors.NoItem, errNoShare)
	}
	b := newAsking[abi.ModelLoad, abi.Model]()
	s := &start[abi.ModelLoad, abi.Model]{
		library: l, verb: loadingModel, from: from, executor: options.Executor, progress: options.Progress, box: b,
		place: func(f frame, path *byte) {
			b.arguments = abi.ModelLoad{
				Model: &b.answer, Path: path, Executor: f.executor, Outcome: f.outcome, Scalar: options.Scalar,
				Progress: f.progress, ProgressState: f.progressState,
			}
		},
		entry: l.table.ModelLoad, inMemory: l.table.ModelLoadBytes, inFS: l.table.ModelLoadFS, free: l.table.ModelFree,
	}
	if l.table.ModelLoadFS == nil {
		s.noFolder = errNoFolders
	}
	if e := options.Executor; e != nil && e.onDevice {
		s.entry = l.table.ModelLoadVRAM
	}
	value, raised, err := s.run(ctx)
	if raised != nil {
		panic(raised)
	}
	if err != nil {
		return nil, err
	}
	if err := l.shareLane(value, options.LaneShare); err != nil {
		l.table.ModelFree(value)
		return nil, err
	}
	return l.adoptModel(value, options.Executor)
}

var errNoShare = stderrors.New("a shared library keeps the lexical lane's share of the checkpoint: open the library with OpenOptions.Embedded, or set UFORM_LIBRARY=embedded")

// shareLane sets the share of a model's lexical lane, unless it is 0.
func (l *Library) shareLane(model abi.Model, share float64) error {
	if share == 0 {
		return nil
	}
	b := newAsking[abi.ModelShareLane, struct{}]()
	b.arguments = abi.ModelShareLane{Model: model, Outcome: &b.outcome, Share: share}
	l.table.ModelShareLane(&b.arguments)
	return errors.Of(loadingModel, &b.outcome)
}

// adoptModel owns a model that was just loaded on executor. One in device memory is described there
// too.
func (l *Library) adoptModel(value abi.Model, executor *Executor) (*Model, error) {
	// Describing is a part of loading, and no call that an observer receives.
	m := &Model{library: opened(l.table, l.origin), handle: handle.New(value, l.table.ModelFree), details: abi.CheckpointDetails()}
	if l.table.ModelDetails != nil {
		m.details, _ = l.table.ModelDetails(value)
	}
	from := m.here()
	if executor != nil && executor.onDevice {
		from.executor = executor
	}
	description, err := describe.block(context.Background(), from, nil, nil, describeInputs{})
	if err != nil {
		m.handle.Close()
		return nil, err
	}
	m.library, m.description = l, description
	runtime.AddCleanup(m, (*handle.Handle[abi.Model]).Drop, m.handle)
	return m, nil
}

// here is the bare receiver.
func (m *Model) here() receiver { return receiver{model: m, executor: callingThread} }

// On is the receiver that runs verbs on executor and blocks until they are final.
func (m *Model) On(executor *Executor) On { return On{receiver{model: m, executor: executor}} }

// Deferred is the receiver that submits verbs to executor and returns calls to wait for.
func (m *Model) Deferred(executor *Executor) Deferred {
	return Deferred{receiver{model: m, executor: executor}}
}

// bytewise reports whether a token is a byte, as in UForm's own checkpoints.
func (m *Model) bytewise() bool { return m.details.Tokenizer == abi.TokenizerBytes }

// Library is the library that loaded the model.
func (m *Model) Library() *Library {
	if m == nil {
		return nil
	}
	return m.library
}

// Close frees the model, and returns when that is done. It waits for calls in flight, and runs
// those that their executors only hold. There is no limit to the wait, since the library may use
// the model until they are final; on a goroutine of its own it can be left alone, for calls are
// refused from its first moment on. Closing again is safe, and waits for the same. Inside the
// progress handler of a call of the model it is refused with [ErrContended]. A nil Model is closed
// already. It calls uform_model_free.
func (m *Model) Close() error {
	if m != nil && !m.handle.Close() {
		return errors.New("close model", errors.ErrContended, errors.NoItem, errInside)
	}
	return nil
}
