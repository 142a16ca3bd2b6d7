package loader

import (
	stderrors "errors"
	"path/filepath"
	"strings"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// search opens the first library that can be used among those beside the program and in the
// system's folders.
func (options *Options) search(none *absence) (*Library, error) {
	if none.unsupported = platform.Unsupported(); none.unsupported != nil {
		return nil, failure(none)
	}
	for _, place := range platform.Places() {
		for _, name := range platform.LibraryNames() {
			path := filepath.Join(place, name)
			err := platform.Protected(path)
			if err == nil {
				var library *Library
				if library, err = options.load(path); err == nil {
					library.Origin.Skipped = none.skipped
					return library, nil
				}
			}
			none.skip(path, err)
		}
	}
	return nil, failure(none)
}

// absence is the cause of an error of Open where no library was named: the one failure that the
// engine may stand in for.
type absence struct {
	// skipped are the candidates that could not be used.
	skipped []Candidate
	// required is whether the options forbid the engine, asked whether the environment asked for
	// it.
	required, asked bool
	// unsupported is why this build does not even search.
	unsupported error
}

func (none *absence) skip(path string, reason error) {
	none.skipped = append(none.skipped, Candidate{Path: path, Reason: unprefixed(reason)})
}

// Error lists every candidate with its reason, one a line.
func (none *absence) Error() string {
	switch {
	case none.asked:
		return Variable + " asks for the embedded engine"
	case none.unsupported != nil:
		return none.unsupported.Error()
	}
	var text strings.Builder
	text.WriteString("none was named and none was found: install libuform, or name it in " + Variable)
	for _, candidate := range none.skipped {
		text.WriteString("\n\t" + candidate.String())
	}
	return text.String()
}

// Unwrap leaves the candidates' reasons out: what was wrong with one of them is not what is wrong
// with the call.
func (none *absence) Unwrap() error {
	if none.unsupported != nil {
		return none.unsupported
	}
	return errors.ErrLibraryMissing
}

// Embedded reports whether the embedded engine may be used after [Open] failed with err: whether no
// library was named, none was found, and the options do not require one. It also returns the
// engine's origin: the kind, and the shared libraries that were skipped.
func Embedded(err error) (Origin, bool) {
	var none *absence
	if !stderrors.As(err, &none) || none.required {
		return Origin{}, false
	}
	return Origin{Kind: KindEmbedded, Skipped: none.skipped}, true
}
