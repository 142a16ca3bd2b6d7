package loader

import (
	"errors"
	"os"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/native"
	"github.com/unum-cloud/uform-go/platform"
)

// instance is a library that the system has loaded, with the verdict on it. What is loaded stays,
// so the verdict does.
type instance struct {
	// file identifies it: while it is loaded its file keeps its number, even when it has lost its
	// name.
	file    os.FileInfo
	path    string
	handle  uintptr
	table   *abi.Library
	origin  Origin
	refused error
}

// instances are all that were ever loaded. The lock is held while one loads, so that two who want
// the same one get one.
var instances struct {
	sync.Mutex
	all []*instance
}

// load opens the library at an absolute path, or the instance of it that there is. The origin is
// the caller's own copy.
func load(path string) (*Library, error) {
	if !native.Supported {
		return nil, native.Unsupported()
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	instances.Lock()
	defer instances.Unlock()
	for _, known := range instances.all {
		if os.SameFile(known.file, file) {
			return known.open(path)
		}
	}
	if err := platform.Inspect(path); err != nil {
		return nil, err
	}
	handle, err := native.Open(path)
	if err != nil {
		return nil, err
	}
	for _, known := range instances.all {
		if known.handle == handle {
			// The system knows libraries by their paths too, and does not look at the file behind
			// one that it knows.
			return nil, errors.New("the system still has the library that " + known.path +
				" was before it changed: give the new one another path, or restart the program")
		}
	}
	loaded := &instance{file: file, path: path, handle: handle}
	loaded.table, loaded.origin, loaded.refused = prove(handle)
	instances.all = append(instances.all, loaded)
	return loaded.open(path)
}

func (instance *instance) open(path string) (*Library, error) {
	if instance.refused != nil {
		return nil, instance.refused
	}
	origin := instance.origin
	origin.Path = path
	return &Library{Table: instance.table, Origin: origin}, nil
}
