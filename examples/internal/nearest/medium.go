package nearest

import (
	"context"
	"image"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
)

// Medium describes a program.
type Medium struct {
	// Name is the program's name, Does a sentence that says what it does, Plural the name of its
	// kind of files.
	Name, Does, Plural string
	// Samples are the default files.
	Samples func() ([]File, error)
	// Encode is the verb, on a blocking receiver.
	Encode func(on uform.On, ctx context.Context, files uform.Tape, arena *uform.Arena, options *uform.EncodeOptions) (uform.Encoded, error)
	// Texts loads the model that a text is asked with where none is named; nil where there is none.
	Texts func(context.Context, *uform.Library, *uform.LoadOptions) (*uform.Model, error)
	// Look draws a file for the sheet.
	Look func(content []byte) (image.Image, error)
	// Columns, Width and Height are those of the sheet.
	Columns, Width, Height int
}

// File is a file with its name.
type File struct {
	Name    string
	Content []byte
}

// FromFS reads files of a folder of a file system.
func FromFS(fsys fs.FS, folder string, names ...string) (files []File, err error) {
	for _, name := range names {
		content, err := fs.ReadFile(fsys, path.Join(folder, name))
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, content})
	}
	return files, nil
}

// read reads files, folders with all files in them, and standard input for the path "-".
func read(streams command.Streams, paths []string) (files []File, err error) {
	for _, root := range paths {
		if root == "-" {
			content, err := io.ReadAll(streams.In)
			if err != nil {
				return nil, err
			}
			files = append(files, File{root, content})
			continue
		}
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil || name == "." {
				name = path
			}
			files = append(files, File{filepath.ToSlash(name), content})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
