package items

import (
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Unit is what an item is.
type Unit string

const (
	// Auto takes the lines of texts that are named, and whole files otherwise: pictures, videos,
	// recordings, and what is in folders.
	Auto Unit = "auto"
	// Lines takes the lines of all texts.
	Lines Unit = "lines"
	// Files takes whole files.
	Files Unit = "files"
)

// Set sets the unit by its name.
func (u *Unit) Set(name string) error {
	switch unit := Unit(name); unit {
	case Auto, Lines, Files:
		*u = unit
		return nil
	}
	return fmt.Errorf("there is no such unit: use auto, lines or files")
}

func (u *Unit) String() string { return string(*u) }

// Type is the name of the kind of flag.
func (u *Unit) Type() string { return "unit" }

// Source is a file to read, or standard input, whose path is "-".
type Source struct {
	Path string
	// Size is -1 where it is not known.
	Size     int64
	Modified time.Time
	inFolder bool
}

const standardInput = "-"

// unknown is the size of a stream.
const unknown = -1

// List returns the files that paths name, in order; a folder's files, and those of the folders in
// it, by their names. Names that begin with a dot are left out in folders, and so is what is neither
// a file nor a folder. A path that does not exist, and an empty folder, is an error.
func List(paths []string) ([]Source, error) {
	var all []Source
	standard := false
	for _, path := range paths {
		if path == standardInput {
			if standard {
				return nil, fmt.Errorf("standard input is named twice")
			}
			standard = true
			all = append(all, Source{Path: path, Size: unknown})
			continue
		}
		about, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case !about.IsDir():
			all = append(all, named(path, about))
			continue
		}
		inside, err := listFolder(path)
		if err != nil {
			return nil, err
		}
		if len(inside) == 0 {
			return nil, fmt.Errorf("%s: there is no file in the folder", path)
		}
		all = append(all, inside...)
	}
	return all, nil
}

func named(path string, about fs.FileInfo) Source {
	if !about.Mode().IsRegular() {
		return Source{Path: path, Size: unknown}
	}
	return Source{Path: path, Size: about.Size(), Modified: about.ModTime()}
}

func listFolder(root string) (all []Source, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != root && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		about, err := os.Stat(path) // of what a link leads to
		if err != nil {
			return err
		}
		if about.Mode().IsRegular() {
			file := named(path, about)
			file.inFolder = true
			all = append(all, file)
		}
		return nil
	})
	return all, err
}

// Total is the size of all sources, or -1 where that of one is not known.
func Total(sources []Source) (total int64) {
	for _, s := range sources {
		if s.Size == unknown {
			return unknown
		}
		total += s.Size
	}
	return total
}

// Identify writes what tells sources from others, and from the same files once they were changed.
func Identify(to hash.Hash, sources []Source) {
	for _, s := range sources {
		fmt.Fprintf(to, "%q %d %d\n", s.Path, s.Size, s.Modified.UnixNano())
	}
}

// open opens a source at an offset. That of standard input is skipped by reading.
func (s *Source) open(offset int64, standard io.Reader) (io.ReadCloser, error) {
	if s.Path == standardInput {
		skipped, err := io.CopyN(io.Discard, standard, offset)
		if err != nil {
			return nil, fmt.Errorf("standard input ends at byte %d, before byte %d, where the reading was interrupted", skipped, offset)
		}
		return io.NopCloser(standard), nil
	}
	file, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(offset, io.SeekStart); offset > 0 && err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Name is the source's name in messages.
func (s *Source) Name() string {
	if s.Path == standardInput {
		return "standard input"
	}
	return filepath.ToSlash(s.Path)
}
