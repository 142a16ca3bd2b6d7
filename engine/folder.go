package engine

import (
	stderrors "errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/model"
	"github.com/unum-cloud/uform-go/platform"
)

// folderModel is the model of a folder, as [folder.Model] is and describes it: a double of a test,
// otherwise.
type folderModel interface {
	Describe() model.Description
	Details() folder.Details
	Tokenize(s *folder.Scratch, dst []int32, text []byte, prompt string) (tokens []int32, covered int, err error)
	Encode(s *folder.Scratch, batch folder.Batch, embeddings, states []float32, stop func() bool) error
	Image() *folder.Preprocessing
	EncodePictures(s *folder.Scratch, patches *model.Patches, embeddings, states []float32, stop func() bool) error
}

// openFolder is [folder.Open] with a nil interface where that returns a nil pointer.
func openFolder(source folder.Source, options *folder.Options) (folderModel, error) {
	opened, err := folder.Open(source, options)
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// folderPath is a folder of the system's. Files are mapped.
type folderPath struct {
	root  string
	files *mappedFiles
}

// Open opens a regular file or a folder. Links are followed, also out of the root: caches of models
// consist of them.
func (p *folderPath) Open(name string) (fs.File, error) {
	own, err := p.path("open", name)
	if err != nil {
		return nil, err
	}
	if isFolder(own) {
		return os.Open(own)
	}
	file, _, err := platform.OpenRegular(own)
	if err != nil {
		return nil, notDangling(err, own, os.Lstat) // and not a nil file in the interface
	}
	return file, nil
}

func (p *folderPath) Map(name string) ([]byte, error) {
	own, err := p.path("map", name)
	if err != nil {
		return nil, err
	}
	mapping, err := platform.MapFile(own)
	if err != nil {
		return nil, notDangling(err, own, os.Lstat)
	}
	*p.files = append(*p.files, mapping)
	return mapping.Bytes(), nil
}

// LetGo is [folder.Releaser].
func (p *folderPath) LetGo(part []byte) {
	for _, mapping := range *p.files {
		bytes := mapping.Bytes()
		if begin := abi.Address(bytes); abi.Address(part) >= begin && abi.Address(part)-begin < uintptr(len(bytes)) {
			first := int(abi.Address(part) - begin)
			mapping.LetGo(first, first+len(part))
		}
	}
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
type folderFS struct {
	files fs.FS
	root  string
}

// Open opens a regular file or a folder. Whether opening another waits is up to a file system that
// cannot tell before what it is.
func (f *folderFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	name = path.Join(f.root, name)
	if telling, can := f.files.(fs.StatFS); can {
		info, err := telling.Stat(name)
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
		}
		if err != nil {
			return nil, notDangling(err, name, f.lstat)
		}
	}
	file, err := f.files.Open(name)
	return file, notDangling(err, name, f.lstat)
}

func (f *folderFS) lstat(name string) (fs.FileInfo, error) { return fs.Lstat(f.files, name) }

func (f *folderFS) Map(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	name = path.Join(f.root, name)
	bytes, err := platform.ReadRegularFS(f.files, name)
	return bytes, notDangling(err, name, f.lstat)
}

var (
	errNotRegular = stderrors.New("neither a regular file nor a folder")
	errDangling   = stderrors.New("a link to a file that is absent: fetch that file")
)

// notDangling returns the error of opening a file, and another one where a link to an absent file
// has its name, as in half a copy of a cache: such a file is not one that the folder does without.
func notDangling(err error, name string, lstat func(name string) (fs.FileInfo, error)) error {
	if stderrors.Is(err, fs.ErrNotExist) {
		if _, absent := lstat(name); absent == nil {
			return &fs.PathError{Op: "open", Path: name, Err: errDangling}
		}
	}
	return err
}

// isFolder reports whether there is a folder of this name.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (c *loadCall) parseFolder(m *loadedModel, source folder.Source, report func(done, total uint64) bool) *fault {
	opened, err := c.library.openFolder(source, &folder.Options{Kind: c.arguments.Scalar, Progress: report})
	if err != nil {
		return faultOf(err)
	}
	details := opened.Details()
	m.folder, m.description = opened, opened.Describe()
	m.details = abi.ModelDetails{
		Architecture: details.Architecture, Tokenizer: details.Tokenizer,
		Prompts: details.Prompts, DefaultPrompt: details.DefaultPrompt,
	}
	if prepare := opened.Image(); prepare != nil {
		m.media = &media{prepare: prepare, limits: c.library.options.Limits}
	}
	return nil
}
