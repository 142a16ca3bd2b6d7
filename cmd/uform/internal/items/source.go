package items

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
// it, by their names. Names that begin with a dot are left out in folders, and so is what is
// neither a file nor a folder. A path that does not exist, and an empty folder, is an error.
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

// Identity tells sources from others, and from the same files once they were changed.
func Identity(sources []Source) string {
	hash := sha256.New()
	for _, s := range sources {
		fmt.Fprintf(hash, "%q %d %d\n", s.Path, s.Size, s.Modified.UnixNano())
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// open opens a source at an offset. What is no regular file is read up to there.
func (s *Source) open(offset int64, standard io.Reader) (file io.ReadCloser, err error) {
	if s.Path == standardInput {
		file = io.NopCloser(standard)
	} else if opened, err := os.Open(s.Path); err != nil {
		return nil, err
	} else if file = opened; s.Size != unknown {
		if _, err := opened.Seek(offset, io.SeekStart); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
		return file, nil
	}
	if skipped, err := io.CopyN(io.Discard, file, offset); err != nil {
		return nil, errors.Join(fmt.Errorf("%s ends at byte %d, and the reading was interrupted at byte %d", s.Name(), skipped, offset), file.Close())
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
