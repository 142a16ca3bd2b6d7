package uform

import (
	stderrors "errors"
	"fmt"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/loader"
)

// Origin is which library was opened, and why. Fields: Kind ("native" or "embedded"), Path,
// Version; Skipped lists the libraries that were tried before it, with the reasons; Proven and
// Unproven list the checks. Printed, it is one line for a log. See [loader.Origin].
type Origin = loader.Origin

// OpenOptions choose the library. The zero value, like nil, leaves the choice to the environment
// and to what the machine has.
type OpenOptions struct {
	// Path names a shared library, taken from the working directory where it is relative. One that
	// cannot be used is an error, never a reason to take another.
	Path string
	// Embedded takes the engine that is compiled into the program, and looks for nothing else.
	Embedded bool
	// RequireNative makes it an error, [ErrLibraryMissing], that no shared library was found.
	RequireNative bool
	// Limits are the largest media files that the embedded engine decodes. A shared library has
	// limits of its own: where one is found, Limits are [ErrUnsupported], so that they are never
	// ignored.
	Limits Limits
	// RequireProven refuses a shared library that has no uform_version_major or no uform_layout_of,
	// so that its version or the layout of its structs cannot be compared with this package's. By
	// default it is used, and [Origin] lists what is not proven.
	RequireProven bool
}

// Limits are the largest media files that are decoded. Fields: ImagePixels, FramePixels, Frames,
// FrameBytes, Samples; 0 means the default. See [engine.Limits].
type Limits = engine.Limits

// embedded are the engine's instances by their limits, so that what one part of a program makes
// another can use.
var embedded struct {
	mutex  sync.Mutex
	tables map[Limits]*abi.Library
}

func engineWith(limits Limits) *abi.Library {
	embedded.mutex.Lock()
	defer embedded.mutex.Unlock()
	table := embedded.tables[limits]
	if table == nil {
		table = engine.NewWith(&engine.Options{Limits: limits})
		if embedded.tables == nil {
			embedded.tables = map[Limits]*abi.Library{}
		}
		embedded.tables[limits] = table
	}
	return table
}

var errLimits = stderrors.New("a shared library has limits of its own: set Embedded, or drop Limits")

var errBothWays = stderrors.New("the options ask for the embedded engine and for a shared library: drop one of them")

// Open opens a library: the one that the options name; else the one that the environment variable
// UFORM_LIBRARY names by its path, or the engine if its value is "embedded"; else one in the folder
// of the executable or in the system's folders; else the engine. The working directory is never
// searched, and a set-uid program ignores the environment.
//
// Opening the same library again returns the same instance, so the handles of both can be used
// together. It stays open until the process ends. The error lists every candidate and why it was
// refused. A shared library of another version or another layout is always refused; one that has no
// function to report them is used, unless RequireProven is set. Log [Library.Origin]: it says what
// was proven and what was not.
func Open(options *OpenOptions) (*Library, error) {
	if options == nil {
		options = new(OpenOptions)
	}
	if err := checkLimits(options.Limits); err != nil {
		return nil, err
	}
	if options.Embedded {
		if options.Path != "" || options.RequireNative {
			return nil, errors.New("open library", errors.ErrInvalidArgument, errors.NoItem, errBothWays)
		}
		return openEngine(options.Limits, Origin{Kind: loader.KindEmbedded}), nil
	}
	native, err := loader.Open(&loader.Options{
		Path: options.Path, RequireNative: options.RequireNative, RequireProven: options.RequireProven,
	})
	if err == nil && options.Limits != (Limits{}) {
		return nil, errors.New("open library", errors.ErrUnsupported, errors.NoItem, errLimits)
	}
	if err == nil {
		return opened(native.Table, native.Origin), nil
	}
	if origin, standsIn := loader.Embedded(err); standsIn {
		return openEngine(options.Limits, origin), nil
	}
	return nil, err
}

// checkLimits refuses limits that nothing can keep.
func checkLimits(limits Limits) error {
	for _, limit := range []struct {
		name  string
		value int
	}{
		{"ImagePixels", limits.ImagePixels}, {"FramePixels", limits.FramePixels}, {"Frames", limits.Frames},
		{"FrameBytes", limits.FrameBytes}, {"Samples", limits.Samples},
	} {
		if limit.value < 0 {
			return errors.New("open library", errors.ErrInvalidArgument, errors.NoItem,
				fmt.Errorf("the limit %s is %d: use a positive number, or 0 for the default", limit.name, limit.value))
		}
	}
	return nil
}

func openEngine(limits Limits, origin Origin) *Library {
	library := opened(engineWith(limits), origin)
	library.origin.Version = library.Version()
	return library
}

// OpenTable is a library over a table that the caller has filled: an instance of the engine of its
// own, as engine.New makes it, or a table for a test. The caller must not change the table any
// more.
func OpenTable(table *abi.Library) *Library {
	return opened(table, Origin{Kind: "table"})
}

func opened(table *abi.Library, origin Origin) *Library {
	return &Library{table: table, origin: origin}
}
