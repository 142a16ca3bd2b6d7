package platform

import (
	"bytes"
	stderrors "errors"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/unum-cloud/uform-go/errors"
)

// errNotRegular is the cause for folders, pipes, sockets and devices: none of them has a content of
// a certain size, and opening or reading one may wait for ever.
var errNotRegular = stderrors.New("not a regular file")

// OpenRegular opens the regular file at path for reading and returns its size in bytes. Anything
// else, such as a folder, a pipe, a socket or a device, is an error, "not a regular file", and
// OpenRegular does not wait for it. The kind is checked before opening, because opening a device
// may change it, and again on the opened file, because another file may have taken the path
// meanwhile. The error is an [*fs.PathError].
func OpenRegular(path string) (*os.File, int64, error) {
	if err := checkRegular(os.Stat(path)); err != nil {
		return nil, 0, pathError("open", path, err)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, 0, pathError("open", path, err)
	}
	info, err := file.Stat()
	if err := checkRegular(info, err); err != nil {
		file.Close()
		return nil, 0, pathError("open", path, err)
	}
	return file, info.Size(), nil
}

// ReadRegular reads the regular file at path to its end. The error is an [*fs.PathError]. It wraps
// [errors.ErrOutOfMemory] if the file is larger than Go's memory can ever be.
func ReadRegular(path string) ([]byte, error) {
	file, size, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := readAll(file, size)
	if err != nil {
		return nil, pathError("read", path, err)
	}
	return content, nil
}

// ReadRegularFS is [ReadRegular] for a file of a file system. Opening may wait if the file system
// does.
func ReadRegularFS(fsys fs.FS, name string) ([]byte, error) {
	// Only a file system that can say what a file is without opening it is asked before.
	if telling, can := fsys.(fs.StatFS); can {
		if err := checkRegular(telling.Stat(name)); err != nil {
			return nil, pathError("open", name, err)
		}
	}
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err := checkRegular(info, err); err != nil {
		return nil, pathError("open", name, err)
	}
	content, err := readAll(file, info.Size())
	if err != nil {
		return nil, pathError("read", name, err)
	}
	return content, nil
}

// Replaceable checks that a new file may be written at path. It returns an error if something is
// there that is not a regular file, such as a folder, or a device, which a rename would replace.
func Replaceable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // nothing is there, or the writing itself will say what is wrong
	}
	if err := checkRegular(info, nil); err != nil {
		return pathError("replace", path, err)
	}
	return nil
}

func checkRegular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return err
}

// readAll reads to the end, which size says but need not: some systems have files that grow, or
// that are made as they are read.
func readAll(reader io.Reader, size int64) ([]byte, error) {
	if size > math.MaxInt-bytes.MinRead {
		return nil, errors.ErrOutOfMemory
	}
	space, err := allocate(int(size) + bytes.MinRead)
	if err != nil {
		return nil, outOfMemory(err)
	}
	content := bytes.NewBuffer(space[:0])
	if _, err := content.ReadFrom(reader); err != nil {
		return nil, err
	}
	return content.Bytes(), nil
}

// pathError names path once, also where err names it already.
func pathError(verb, path string, err error) error {
	var inner *fs.PathError
	if stderrors.As(err, &inner) {
		err = inner.Err
	}
	return &fs.PathError{Op: verb, Path: path, Err: err}
}
