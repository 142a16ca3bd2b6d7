package loader

import (
	stderrors "errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// Variable is the environment variable that names a shared library by its path, or asks for the
// engine by the word [KindEmbedded]. It counts only where [Options] name none. It is ignored where
// the process is [platform.Privileged].
const Variable = "UFORM_LIBRARY"

// Options choose the library. Their zero value, like nil, leaves the choice to the environment and
// the search.
type Options struct {
	// Path names the shared library; empty, the default, names none. A relative path is relative to
	// the working directory at the call, and is looked for nowhere else.
	Path string

	// RequireNative makes [Embedded] return false where no shared library was found. By default the
	// embedded engine may be used instead.
	RequireNative bool

	// RequireProven refuses a library that has no function to report its version or its layout. By
	// default it is used, and [Origin] says what is not proven. A search continues with the next
	// candidate.
	RequireProven bool
}

// Library is a shared library that can be called. It stays loaded until the process ends.
type Library struct {
	// Table has its entry points. All who opened the same file share it. Argument structs must be
	// on Go's heap.
	Table *abi.Library
	// Origin says where it comes from and what is known of it.
	Origin Origin
}

// verb is what the errors of this package are about.
const verb = "open library"

// Open loads the shared library that the options or the environment name, else the first usable one
// of the search.
//
// The error is an [*errors.Error]. Its status is [errors.ErrSymbolMissing] where a named library
// lacks required symbols, [errors.ErrUnsupported] where this build loads no shared libraries, and
// otherwise [errors.ErrLibraryMissing]: nothing was found, or what was named is missing, broken, of
// another version or of another layout. [Embedded] reports whether the engine may be used instead.
func Open(options *Options) (*Library, error) {
	if options == nil {
		options = &Options{}
	}
	if options.Path != "" {
		return options.openNamed("the option Path", options.Path)
	}
	none := &absence{required: options.RequireNative}
	name, set := os.LookupEnv(Variable)
	switch {
	case !set:
	case platform.Privileged():
		none.skip(name, stderrors.New(Variable+" is ignored in a set-uid program"))
	case name != KindEmbedded:
		return options.openNamed(Variable, name)
	case options.RequireNative:
		return nil, failure(fmt.Errorf("%s asks for the embedded engine, but the option RequireNative forbids it: drop one of them", Variable))
	default:
		none.asked = true
		return nil, failure(none)
	}
	return options.search(none)
}

// load loads the library at an absolute path, and refuses one that is less proven than the options
// want.
func (options *Options) load(path string) (*Library, error) {
	library, err := load(path)
	if err == nil && options.RequireProven && len(library.Origin.Unproven) > 0 {
		return nil, refused(errors.ErrLibraryMissing, "it is not proven, as the option RequireProven wants it: %s",
			strings.Join(library.Origin.Unproven, ", "))
	}
	return library, err
}

// openNamed opens the library that source names, or fails.
func (options *Options) openNamed(source, name string) (*Library, error) {
	if name == "" {
		return nil, failure(fmt.Errorf("%s is empty: name a library, or %q, or remove it", source, KindEmbedded))
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, failure(fmt.Errorf("%s names %s: %w", source, name, err))
	}
	library, err := options.load(path)
	if err != nil {
		return nil, failure(fmt.Errorf("%s names %s: %w", source, path, unprefixed(err)))
	}
	return library, nil
}

// failure is an error of Open, with the status of its cause where it has one.
func failure(cause error) error {
	status, known := errors.StatusOf(cause)
	if !known {
		status = errors.ErrLibraryMissing
	}
	return errors.New(verb, status, errors.NoItem, cause)
}

// refusal is the reason not to use a library, with the status that it comes to. The text leaves the
// status out, because those who report it add it.
type refusal struct {
	status errors.Status
	cause  error
}

func refused(status errors.Status, format string, arguments ...any) error {
	return &refusal{status, fmt.Errorf(format, arguments...)}
}

func (refusal *refusal) Error() string   { return refusal.cause.Error() }
func (refusal *refusal) Unwrap() []error { return []error{refusal.status, refusal.cause} }

// pathless is an error about a path, for a text that has named the path already.
type pathless struct{ inner *fs.PathError }

func (err *pathless) Error() string { return err.inner.Err.Error() }
func (err *pathless) Unwrap() error { return err.inner }

func unprefixed(err error) error {
	if inner, ok := err.(*fs.PathError); ok {
		return &pathless{inner}
	}
	return err
}
