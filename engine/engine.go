package engine

import (
	"sync"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/platform"
)

// Options adjusts a library. The zero value is what most programs want.
type Options struct {
	// Limits bound what files of media may ask for.
	Limits Limits

	// Reducer joins this process, index of count, to the others of a training run: for processes
	// that do not meet through MPI, which is what nil means. An error that wraps a status becomes
	// that of trainer_init.
	Reducer func(index, count int) (train.Reducer, error)
}

// New returns a library of its own: its handles are unknown to other libraries. It needs no closing
// after its handles are freed.
func New() *abi.Library { return NewWith(nil) }

// NewWith is [New] with options; nil is none.
func NewWith(options *Options) *abi.Library { return newLibrary(options, hooks.Current()).table() }

// library is the state behind one table. One mutex guards everything that its handles and calls
// share. It is held for a few instructions at the beginning and the end of a call, never while
// anything is computed.
type library struct {
	options Options
	hooks   hooks.Engine
	// mapPages is [platform.MapPages], but where a test lets the system run out.
	mapPages func(size int) (*platform.Mapping, error)

	// openFolder is [openFolder], but where a test has a model of its own.
	openFolder func(source folder.Source, options *folder.Options) (folderModel, error)

	// keptScalars is [keptScalars], or less in tests.
	keptScalars int64

	encodes pool[encodeCall]
	chooses pool[chooseCall]

	mutex   sync.Mutex
	changed *sync.Cond // a call released its handles, or an executor became idle
	handles handles
	held    map[*call]struct{} // calls that no goroutine runs yet
}

// libraries counts the libraries of the process, for their tags.
var libraries atomic.Uintptr

func newLibrary(options *Options, hooks hooks.Engine) *library {
	l := &library{
		hooks: hooks, mapPages: platform.MapPages, openFolder: openFolder, keptScalars: keptScalars,
		handles: newHandles(libraries.Add(1)), held: map[*call]struct{}{},
	}
	if options != nil {
		l.options = *options
	}
	if l.options.Reducer == nil {
		l.options.Reducer = joinMPI
	}
	l.changed = sync.NewCond(&l.mutex)
	l.encodes.create, l.chooses.create = newEncodeCall, newChooseCall
	return l
}

func (l *library) table() *abi.Library {
	return &abi.Library{
		StatusToString:     statusToString,
		OutcomeStatus:      outcomeStatus,
		OutcomeWait:        l.outcomeWait,
		VersionMajor:       versionMajor,
		VersionMinor:       versionMinor,
		VersionPatch:       versionPatch,
		LayoutOf:           layoutOf,
		Capabilities:       capabilities,
		GPUDevices:         gpuDevices,
		ExecutorInit:       l.executorInit,
		ExecutorInitVRAM:   executorInitVRAM,
		ExecutorDrain:      l.executorDrain,
		ExecutorDescribe:   l.executorDescribe,
		ExecutorFree:       l.executorFree,
		ArenaInit:          l.arenaInit,
		ArenaFree:          l.arenaFree,
		ArenaDescribe:      l.arenaDescribe,
		ModelLoad:          l.modelLoad,
		ModelLoadVRAM:      l.modelLoadVRAM,
		ModelDescribe:      l.modelDescribe,
		ModelFree:          l.modelFree,
		TextEncode:         l.textEncode,
		TextChoose:         l.textChoose,
		ImageEncode:        l.imageEncode,
		ImageEncodePixels:  l.imageEncodePixels,
		VideoEncode:        l.videoEncode,
		AudioEncode:        l.audioEncode,
		AudioEncodeSamples: l.audioEncodeSamples,
		TrainerInit:        l.trainerInit,
		TrainerInitVRAM:    l.trainerInitVRAM,
		TrainerStep:        l.trainerStep,
		TrainerSave:        l.trainerSave,
		TrainerFree:        l.trainerFree,
		Extensions: abi.Extensions{
			ProgressCallback: progressCallback,
			OnFinal:          l.onFinal,
			ModelLoadBytes:   l.modelLoadBytes,
			ModelLoadFS:      l.modelLoadFS,
			ModelDetails:     l.modelDetails,
			ModelShareLane:   l.modelShareLane,
			TextEncodeWith:   l.textEncodeWith,
			TextMeasure:      l.textMeasure,
			TrainerInitBytes: l.trainerInitBytes,
		},
	}
}

// pool keeps final, blocking calls for the next call of their verb, so that a steady loop allocates
// none.
type pool[C any] struct {
	create func(*library) *C
	mutex  sync.Mutex
	idle   []*C
}

// pooled bounds a pool: calls beyond this number in flight are allocated.
const pooled = 64

func (p *pool[C]) take(l *library) *C {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return p.create(l)
	}
	c := p.idle[last]
	p.idle[last] = nil // a deferred call does not return to the pool, which must not keep it alive
	p.idle = p.idle[:last]
	return c
}

func (p *pool[C]) giveBack(c *C) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.idle) < pooled {
		p.idle = append(p.idle, c)
	}
}
