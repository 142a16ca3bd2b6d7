package engine

import (
	"errors"
	"reflect"
	"runtime"
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/hooks"
	"github.com/unum-cloud/uform-go/platform"
)

// Inside reads the internal state of a library.
type Inside struct{ library *library }

// NewObserved is [NewWith], with hooks and a look inside.
func NewObserved(options *Options, hooks hooks.Engine) (*abi.Library, Inside) {
	l := newLibrary(options, hooks)
	return l.table(), Inside{l}
}

// Arena returns how often an arena allocated, and how many bytes it has.
func (i Inside) Arena(id abi.Arena) (growths, bytes int) {
	i.library.mutex.Lock()
	defer i.library.mutex.Unlock()
	a, _ := find[*arena](&i.library.handles, uintptr(id))
	return a.growths, len(a.memory)
}

// Ids counts the ids in use: handles, and calls that are not final.
func (i Inside) Ids() int {
	i.library.mutex.Lock()
	defer i.library.mutex.Unlock()
	used := 0
	for _, s := range i.library.handles.slots {
		if s.object != nil {
			used++
		}
	}
	return used
}

// Slots counts the places for ids, used or not.
func (i Inside) Slots() int { return len(i.library.handles.slots) }

// LimitSlots bounds the places for ids to as many as there are.
func (i Inside) LimitSlots() { i.library.handles.most = len(i.library.handles.slots) }

// Workers returns how many goroutines an executor owns, and a function that waits until they have
// exited.
func (i Inside) Workers(id abi.Executor) (count int, left func()) {
	i.library.mutex.Lock()
	defer i.library.mutex.Unlock()
	e, _ := find[*executor](&i.library.handles, uintptr(id))
	return len(e.workers), e.gone.Wait
}

// Looks returns how often a goroutine that waits within a call polls before it sleeps.
func (i Inside) Looks(id abi.Executor) int {
	i.library.mutex.Lock()
	defer i.library.mutex.Unlock()
	e, _ := find[*executor](&i.library.handles, uintptr(id))
	return int(reflect.ValueOf(e.workgroup.team).Elem().FieldByName("spins").Int())
}

// Collected reports whether an executor has been collected, after the garbage collector has run.
func (i Inside) Collected(id abi.Executor) *atomic.Bool {
	i.library.mutex.Lock()
	defer i.library.mutex.Unlock()
	e, _ := find[*executor](&i.library.handles, uintptr(id))
	collected := new(atomic.Bool)
	runtime.AddCleanup(e, func(collected *atomic.Bool) { collected.Store(true) }, collected)
	return collected
}

// Busy reports whether a call occupies an executor.
func (i Inside) Busy(id abi.Executor) bool {
	i.library.mutex.Lock()
	defer i.library.mutex.Unlock()
	e, found := find[*executor](&i.library.handles, uintptr(id))
	return found && e.busy
}

// ExhaustPages makes every arena fail when it grows, and returns a function that ends that.
func (i Inside) ExhaustPages() (restore func()) {
	i.library.mapPages = func(int) (*platform.Mapping, error) { return nil, errors.New("none left") }
	return func() { i.library.mapPages = platform.MapPages }
}

// KeepScalars bounds what the prescan of a call keeps.
func (i Inside) KeepScalars(most int64) { i.library.keptScalars = most }

// ForgetMessages empties the set of texts, and returns a function that restores it.
func ForgetMessages() (restore func()) {
	messages.mutex.Lock()
	defer messages.mutex.Unlock()
	kept, details := messages.kept, messages.details
	messages.kept, messages.details = map[string][]byte{}, 0
	return func() {
		messages.mutex.Lock()
		defer messages.mutex.Unlock()
		messages.kept, messages.details = kept, details
	}
}

// The bounds that tests refer to.
const (
	MaxMessages  = maxMessages
	MaxThreads   = maxThreads
	RestingSlots = restingSlots
	SliceItems   = sliceItems
	SliceTokens  = sliceTokens
	Poison       = poison
)

// The seam to models of folders.
type FolderModel = folderModel

// OpenFolders replaces what loads folders.
func (i Inside) OpenFolders(open func(folder.Source, *folder.Options) (FolderModel, error)) {
	i.library.openFolder = open
}

// Mapped returns the mapped files of a model.
func (i Inside) Mapped(id abi.Model) []*platform.Mapping {
	i.library.mutex.Lock()
	defer i.library.mutex.Unlock()
	m, _ := find[*loadedModel](&i.library.handles, uintptr(id))
	return m.files
}

// KeptTokens is how many tokens a call may keep.
const KeptTokens = keptTokens
