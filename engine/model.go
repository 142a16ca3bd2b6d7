package engine

import (
	"io/fs"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/model"
)

// loadedModel is a model with its files, and the working memory of calls without an executor. That
// memory belongs to the model because a calling thread has no place to keep it.
type loadedModel struct {
	claims
	model       *model.Model // a checkpoint of UForm's own, nil for a folder
	folder      folderModel  // a model of a folder, nil for a checkpoint
	description model.Description
	details     abi.ModelDetails
	media       *media // nil for a folder without pictures
	files       mappedFiles

	mutex sync.Mutex
	idle  []*workspace
}

// borrow takes a workspace for a call on the calling thread.
func (m *loadedModel) borrow() *workspace {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	last := len(m.idle) - 1
	if last < 0 {
		return new(workspace)
	}
	space := m.idle[last]
	m.idle = m.idle[:last]
	return space
}

// giveBack keeps a workspace for the next call, unless there are more of them than calls can run at
// once.
func (m *loadedModel) giveBack(space *workspace) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.idle) < runtime.GOMAXPROCS(0) {
		m.idle = append(m.idle, space)
	}
}

// loadCall is a call of model_load.
type loadCall struct {
	call
	arguments  abi.ModelLoad
	checkpoint []byte    // read in place
	inMemory   bool      // the path is ignored
	files      *folderFS // nil for what is no folder of a file system
	loaded     *loadedModel
}

// modelLoad implements [abi.Library.ModelLoad].
func (l *library) modelLoad(arguments *abi.ModelLoad) {
	if arguments != nil {
		c := l.newLoadCall(arguments)
		c.submit(abi.CompletionBlocking, c.check())
	}
}

// modelLoadBytes implements [abi.Extensions.ModelLoadBytes].
func (l *library) modelLoadBytes(arguments *abi.ModelLoad, checkpoint []byte) {
	if arguments != nil {
		c := l.newLoadCall(arguments)
		c.checkpoint, c.inMemory = checkpoint, true
		c.submit(abi.CompletionBlocking, c.check())
	}
}

// modelLoadFS implements [abi.Extensions.ModelLoadFS].
func (l *library) modelLoadFS(arguments *abi.ModelLoad, files fs.FS, folder string) {
	if arguments != nil {
		c := l.newLoadCall(arguments)
		c.files, c.inMemory = &folderFS{files, folder}, true
		f := c.check()
		if f == nil && files == nil {
			f = refuse(abi.StatusInvalidArgument, "the file system is nil")
		}
		c.submit(abi.CompletionBlocking, f)
	}
}

// modelLoadVRAM implements [abi.Library.ModelLoadVRAM]. No executor of this library has GPU memory
// to load into.
func (l *library) modelLoadVRAM(arguments *abi.ModelLoad) {
	if arguments != nil {
		c := l.newLoadCall(arguments)
		f := c.check()
		if f == nil {
			f = noDevices
		}
		c.submit(abi.CompletionBlocking, f)
	}
}

func (l *library) newLoadCall(arguments *abi.ModelLoad) *loadCall {
	if arguments.Model != nil {
		*arguments.Model = 0
	}
	c := &loadCall{
		call:      call{library: l, outcome: arguments.Outcome, returned: make(chan struct{}, 1)},
		arguments: *arguments,
	}
	c.work = c
	return c
}

// check refuses what can be refused before the file is opened.
func (c *loadCall) check() (f *fault) {
	a := &c.arguments
	if a.Executor != 0 {
		if c.executor, f = claim[*executor](c.library, "executor", uintptr(a.Executor)); f != nil {
			return f
		}
	}
	switch {
	case a.Model == nil:
		return refuse(abi.StatusInvalidArgument, "no place for the new model's handle: set model")
	case a.Path == nil && !c.inMemory:
		return refuse(abi.StatusInvalidArgument, "the path is NULL")
	case a.Reserved != 0:
		return reservedSet
	}
	if f = checkScalar(a.Scalar); f != nil {
		return f
	}
	if f = c.progress.connect(a.Progress, a.ProgressState); f != nil {
		return f
	}
	switch a.Scalar {
	case abi.ScalarUnknown, abi.ScalarF32, abi.ScalarBF16, abi.ScalarI8:
		return nil
	}
	return refuse(abi.StatusUnsupported, "weights can be packed to f32, bf16 or i8, not %v", a.Scalar)
}

// prepare does all of the work: a load has no slices.
func (c *loadCall) prepare() *fault {
	m := &loadedModel{}
	f := c.read(m)
	if f != nil {
		m.files.close()
		return f
	}
	c.loaded = m
	return nil
}

// read loads what the arguments name: bytes, a folder, or the file or folder at a path.
func (c *loadCall) read(m *loadedModel) *fault {
	path := abi.Text(c.arguments.Path)
	switch {
	case c.files != nil:
		return c.parse(m, c.files)
	case c.inMemory:
		return c.parse(m, nil)
	case isFolder(path):
		return c.parse(m, &folderPath{path, &m.files})
	}
	mapping, f := mapCheckpoint(path)
	if f != nil {
		return f
	}
	m.files, c.checkpoint = mappedFiles{mapping}, mapping.Bytes()
	return c.parse(m, nil)
}

// parse makes a model of a folder's source, or of the checkpoint without one.
func (c *loadCall) parse(m *loadedModel, source folder.Source) (f *fault) {
	if !c.inMemory {
		defer shield(&m.files, debug.SetPanicOnFault(true), &f)
	}
	var report func(done, total uint64) bool
	if c.progress.listened {
		report = func(done, total uint64) bool { return c.progress.reach(uintptr(done), uintptr(total)) }
	}
	if source == nil {
		f = c.parseCheckpoint(m, report)
	} else {
		f = c.parseFolder(m, source, report)
	}
	switch {
	case c.progress.stopped.Load():
		return cancelled
	case f != nil:
		return f
	}
	c.library.mutex.Lock()
	defer c.library.mutex.Unlock()
	if m.id = c.library.handles.add(m); m.id == 0 {
		return tooMany()
	}
	return nil
}

func (c *loadCall) parseCheckpoint(m *loadedModel, report func(done, total uint64) bool) *fault {
	parsed, err := model.Parse(c.checkpoint, &model.Options{Kind: c.arguments.Scalar, Progress: report})
	if err != nil {
		return faultOf(err)
	}
	m.model, m.description, m.details = parsed, parsed.Describe(), abi.CheckpointDetails()
	if m.media, err = newMedia(parsed.Config(), c.library.options.Limits); err != nil {
		return faultOf(err)
	}
	return nil
}

func (c *loadCall) slice(*workspace, int, int) *fault { return nil }

func (c *loadCall) publish() { *c.arguments.Model = abi.Model(c.loaded.id) }

func (c *loadCall) recycle() {}

// describeCall is a call of model_describe. It has no slices; being a call, it checks its handles
// like every verb.
type describeCall struct {
	call
	arguments abi.ModelDescribe
}

// modelDescribe implements [abi.Library.ModelDescribe].
func (l *library) modelDescribe(arguments *abi.ModelDescribe) {
	if arguments == nil {
		return
	}
	c := &describeCall{
		call:      call{library: l, outcome: arguments.Outcome, returned: make(chan struct{}, 1)},
		arguments: *arguments,
	}
	c.work = c
	c.submit(arguments.Completion, c.check())
}

func (c *describeCall) check() *fault {
	a := &c.arguments
	if f := c.claimModel(a.Executor, a.Model); f != nil {
		return f
	}
	switch {
	case a.Reserved != 0:
		return reservedSet
	case a.Description == nil:
		return refuse(abi.StatusInvalidArgument, "no place for the description: set description")
	}
	return checkCompletion(a.Completion, a.Executor)
}

func (c *describeCall) prepare() *fault { return nil }

func (c *describeCall) slice(*workspace, int, int) *fault { return nil }

func (c *describeCall) publish() {
	d := &c.model.description
	description := abi.ModelDescription{
		Parameters:       d.Parameters,
		WeightsBytes:     d.WeightsBytes,
		EmbeddingColumns: d.EmbeddingColumns,
		StateColumns:     d.StateColumns,
		Context:          d.Context,
		Layers:           d.Layers,
		Heads:            d.Heads,
		QuestionTypes:    d.QuestionTypes,
		SampleRate:       d.SampleRate,
		Modalities:       d.Modalities,
		Scalar:           d.Kind,
		Residency:        abi.ResidencyRAM,
		Device:           -1,
	}
	if d.ByteDecoder {
		description.ByteDecoder = 1
	}
	*c.arguments.Description = description
}

func (c *describeCall) recycle() {}

// modelDetails implements [abi.Extensions.ModelDetails].
func (l *library) modelDetails(id abi.Model) (details abi.ModelDetails, found bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	m, found := find[*loadedModel](&l.handles, uintptr(id))
	if found {
		details = m.details
	}
	return details, found
}

// modelShareLane implements [abi.Extensions.ModelShareLane].
func (l *library) modelShareLane(a *abi.ModelShareLane) {
	if a == nil {
		return
	}
	m, f := claim[*loadedModel](l, "model", uintptr(a.Model))
	if f == nil {
		f = m.shareLane(a.Share)
		l.mutex.Lock()
		m.named--
		l.changed.Broadcast()
		l.mutex.Unlock()
	}
	end(a.Outcome, f)
}

func (m *loadedModel) shareLane(share float64) *fault {
	switch {
	case !(share > 0 && share < 1):
		return refuse(abi.StatusInvalidArgument, "the lane's share is %v: give one above 0 and below 1", share)
	case m.model == nil || m.model.Config().Lexical == nil:
		return refuse(abi.StatusUnsupported, "the model has no lexical lane: leave its share unset")
	}
	m.model = m.model.WithLaneShare(share)
	return nil
}

// modelFree implements [abi.Library.ModelFree].
func (l *library) modelFree(id abi.Model) {
	if m := retire[*loadedModel](l, uintptr(id)); m != nil {
		m.files.close()
	}
}
