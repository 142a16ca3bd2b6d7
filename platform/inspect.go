package platform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
)

// Inspect checks that the file at path is a shared library that this process can load, without
// loading it. It looks at the file's kind, at the processor it was built for, and that all that
// its headers promise lies inside of the file: the system's own loader reports a wrong processor as
// a missing file, and is killed by a file cut short. Dependencies and symbols are not looked at,
// and the file may change before it is loaded. The error is an [*fs.PathError] that says what the
// file is instead.
func Inspect(path string) error {
	file, size, err := OpenRegular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := inspect(image{file, uint64(size)}, runtime.GOOS, runtime.GOARCH); err != nil {
		return pathError("inspect", path, err)
	}
	return nil
}

// format is a kind of executable file.
type format string

const (
	formatELF   format = "ELF"
	formatMachO format = "Mach-O"
	formatPE    format = "Windows (PE)"
)

// formatOf is what the system's loader loads.
func formatOf(goos string) format {
	switch goos {
	case "windows":
		return formatPE
	case "darwin", "ios":
		return formatMachO
	}
	return formatELF
}

// Their first bytes. A universal file holds one Mach-O file for each processor.
var (
	magicELF         = []byte("\x7fELF")
	magicPE          = []byte("MZ")
	magicMachO       = [][]byte{{0xfe, 0xed, 0xfa, 0xce}, {0xfe, 0xed, 0xfa, 0xcf}, {0xce, 0xfa, 0xed, 0xfe}, {0xcf, 0xfa, 0xed, 0xfe}}
	magicUniversal   = []byte{0xca, 0xfe, 0xba, 0xbe}
	magicUniversal64 = []byte{0xca, 0xfe, 0xba, 0xbf}
)

// inspect is Inspect for a file in hand and any system.
func inspect(file image, goos, goarch string) error {
	start, err := file.start(16)
	if err != nil {
		return err
	}
	var found format
	var check func(file image, goarch string) error
	switch {
	case bytes.HasPrefix(start, magicELF):
		found, check = formatELF, inspectELF
	case bytes.HasPrefix(start, magicPE):
		found, check = formatPE, inspectPE
	case bytes.HasPrefix(start, magicUniversal), bytes.HasPrefix(start, magicUniversal64):
		found, check = formatMachO, inspectUniversal
	default:
		for _, magic := range magicMachO {
			if bytes.HasPrefix(start, magic) {
				found, check = formatMachO, inspectMachO
			}
		}
	}
	switch wanted := formatOf(goos); {
	case len(start) == 0:
		return errors.New("the file is empty")
	case bytes.HasPrefix(start, []byte("!<arch>")):
		return errors.New("not a shared library but a static one, which only a linker can use")
	case check == nil:
		return fmt.Errorf("not a shared library: it starts with %q", start)
	case found != wanted:
		return fmt.Errorf("a file of the %s kind, but %s loads the %s kind", found, goos, wanted)
	}
	return check(file, goarch)
}

// wrongProcessor is the error for a library that was built for another processor than goarch.
func wrongProcessor(built, goarch string) error {
	return fmt.Errorf("built for %s, but this process runs on %s", built, goarch)
}

// image is an executable file that is read with care for its end.
type image struct {
	reader io.ReaderAt
	size   uint64
}

// start is the file's first bytes, up to length of them.
func (file image) start(length uint64) ([]byte, error) {
	return file.bytes("file", 0, min(length, file.size))
}

// bytes reads a part of the file, which is called what in the error of a file that ends before it.
func (file image) bytes(what string, offset, length uint64) ([]byte, error) {
	if err := file.holds(what, offset, length); err != nil {
		return nil, err
	}
	part := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(file.reader, int64(offset), int64(length)), part); err != nil {
		return nil, fmt.Errorf("read its %s: %w", what, err)
	}
	return part, nil
}

// holds is an error where the file ends before a part that it promises.
func (file image) holds(what string, offset, length uint64) error {
	if offset > file.size || length > file.size-offset {
		return fmt.Errorf("truncated: its %s takes %d bytes from %d on, but the file has %d", what, length, offset, file.size)
	}
	return nil
}

// table reads count entries of size bytes each.
func (file image) table(what string, offset uint64, count, size int) ([][]byte, error) {
	all, err := file.bytes(what, offset, uint64(count)*uint64(size))
	if err != nil {
		return nil, err
	}
	entries := make([][]byte, count)
	for i := range entries {
		entries[i] = all[i*size : (i+1)*size]
	}
	return entries, nil
}
