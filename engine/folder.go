package engine

import (
	stderrors "errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/platform"
)

// folderModel is a model of a folder in Hugging Face's layout. Its tokens are those of its own
// tokenizer. It never changes, and any number of goroutines may use it, each with a scratch.
type folderModel interface {
	Describe() model.Description
	Details() abi.ModelDetails
	// Tokenize appends the tokens of a text after the prompt of that name, "" for none, at most as
	// many as the context. covered is how many bytes of the text they stand for.
	Tokenize(s *folderScratch, dst []int32, text []byte, prompt string) (tokens []int32, covered int, err error)
	// Encode is [model.Model.Encode] of tokens: those of the items stand end to end.
	Encode(s *folderScratch, tokens []int32, lengths []int, embeddings, states []float32, stop func() bool) error
}

// folderSource is where a folder's files come from.
type folderSource interface {
	fs.FS
	// Map returns the whole content of a file, which must stay unchanged while the model is in use.
	Map(name string) ([]byte, error)
}

// folderPath is a folder of the system's. Files are mapped.
type folderPath struct {
	root  string
	files *mappedFiles
}

// Open opens a regular file or a folder. Links are followed, also out of the root: caches of models
// consist of them.
func (p *folderPath) Open(name string) (fs.File, error) {
	path, err := p.path("open", name)
	if err != nil {
		return nil, err
	}
	if isFolder(path) {
		return os.Open(path)
	}
	file, _, err := platform.OpenRegular(path)
	if err != nil {
		return nil, err // and not a nil file in the interface
	}
	return file, nil
}

func (p *folderPath) Map(name string) ([]byte, error) {
	path, err := p.path("map", name)
	if err != nil {
		return nil, err
	}
	mapping, err := platform.MapFile(path)
	if err != nil {
		return nil, err
	}
	*p.files = append(*p.files, mapping)
	return mapping.Bytes(), nil
}

// path refuses a name that leaves the folder.
func (p *folderPath) path(verb, name string) (string, error) {
	local, err := filepath.Localize(name)
	if err != nil {
		return "", &fs.PathError{Op: verb, Path: name, Err: fs.ErrInvalid}
	}
	return filepath.Join(p.root, local), nil
}

// folderFS is a folder of a file system. Files are read.
type folderFS struct{ fs.FS }

func (f *folderFS) Map(name string) ([]byte, error) { return platform.ReadRegularFS(f.FS, name) }

// isFolder reports whether a path names a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (c *loadCall) parseFolder(m *loadedModel, source folderSource, report func(done, total uint64) bool) *fault {
	opened, err := c.library.openFolder(source, c.arguments.Scalar, report)
	if err != nil {
		return folderFault(err)
	}
	m.folder, m.description, m.details = opened, opened.Describe(), opened.Details()
	return nil
}

// folderFault is [faultOf] an error about a folder, where an error without a status is one of a
// file that cannot be read, or of its content.
func folderFault(err error) *fault {
	var path *fs.PathError
	_, known := errors.StatusOf(err)
	f := faultOf(err)
	switch {
	case known:
	case stderrors.Is(err, stderrors.ErrUnsupported):
		f.status = abi.StatusUnsupported
	case stderrors.As(err, &path), stderrors.Is(err, fs.ErrNotExist), stderrors.Is(err, io.ErrUnexpectedEOF):
		f.status = abi.StatusIO
	default:
		f.status = abi.StatusMalformed
	}
	return f
}
