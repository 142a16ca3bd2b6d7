package folder

import (
	"fmt"
	"io"
	"io/fs"
	"path"

	stderrors "errors"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/gitlfs"
)

// Source is the files of a folder, whose names are relative to it. Whether a link may lead out of
// the folder is up to it. Files are opened on several goroutines at once.
type Source interface {
	fs.FS
	// Map returns all bytes of a file, mapped or read. They stay as they are while the model is in
	// use, and are never written to. It is called on one goroutine. A file that is absent is an
	// error that wraps [fs.ErrNotExist].
	Map(name string) ([]byte, error)
}

// Releaser is a source that keeps mapped files in memory only as far as they are read. LetGo says
// that a part of what Map returned will not be read soon; it is called on several goroutines at
// once.
type Releaser interface {
	Source
	LetGo(part []byte)
}

// Files returns the source of a file system. Weights are read into memory.
func Files(files fs.FS) Source { return memory{files} }

type memory struct{ fs.FS }

func (m memory) Map(name string) ([]byte, error) { return fs.ReadFile(m.FS, name) }

// recorded is a source that lists what it maps.
type recorded struct {
	Source
	bodies *[][]byte
}

func (r *recorded) Map(name string) ([]byte, error) {
	body, err := r.Source.Map(name)
	if err == nil {
		*r.bodies = append(*r.bodies, body)
	}
	return body, err
}

// largestText is the longest configuration that is read. Those of real models are far below.
const largestText = 16 << 20

// place is a folder, or one inside of it.
type place struct {
	source Source
	path   string // "." for the folder itself
}

// name returns the name of a file for the source, and for errors.
func (p place) name(file string) string { return path.Join(p.path, file) }

// in returns a folder inside of this one, as files of sentence-transformers name it.
func (p place) in(inner string) (place, error) {
	joined := path.Join(p.path, inner)
	if path.IsAbs(inner) || !fs.ValidPath(joined) {
		return place{}, malformed("the path %q leads out of the folder", inner)
	}
	return place{p.source, joined}, nil
}

// has reports whether there is a file.
func (p place) has(file string) bool {
	info, err := fs.Stat(p.source, p.name(file))
	return err == nil && !info.IsDir()
}

// read returns a file of configuration, and nil if it is absent.
func (p place) read(file string) ([]byte, error) {
	name := p.name(file)
	opened, err := p.source.Open(name)
	if stderrors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, largestText+1))
	switch {
	case err != nil:
		return nil, unreadable(name, err)
	case len(text) > largestText:
		return nil, malformed("%s: longer than %d bytes", name, largestText)
	case gitlfs.IsPointer(text):
		return nil, malformed("%s %w", name, gitlfs.ErrPointer)
	}
	return text, nil
}

func malformed(format string, arguments ...any) error {
	return fmt.Errorf(format+": %w", append(arguments, errors.ErrMalformed)...)
}

func unsupported(format string, arguments ...any) error {
	return fmt.Errorf(format+": %w", append(arguments, errors.ErrUnsupported)...)
}

func unreadable(name string, err error) error {
	if _, known := errors.StatusOf(err); known {
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s: %w: %w", name, err, errors.ErrIO)
}

// required reads the object that a file is, which must be there.
func (p place) required(file string) (*object, error) {
	o, err := p.object(file)
	if o == nil && err == nil {
		err = unreadable(p.name(file), fs.ErrNotExist)
	}
	return o, err
}
