package nearest

import (
	"encoding/binary"
	stderrors "errors"
	"fmt"
	"hash/crc32"
	"math"
	"runtime/debug"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// docs/nearest.md describes the file.

const (
	magic       = "uform-nn"
	version     = 1
	headerBytes = 64
	// checkedBytes of the header are what its last four bytes are the checksum of.
	checkedBytes = headerBytes - 4
	// sectionBytes is what the offset of every section is a multiple of.
	sectionBytes = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the beginning of a file.
type header struct {
	options Options
	rows    int
}

func (h header) bytes() []byte {
	b := make([]byte, headerBytes)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], version)
	binary.LittleEndian.PutUint32(b[12:], uint32(h.options.Scalar))
	binary.LittleEndian.PutUint32(b[16:], uint32(h.options.Metric))
	binary.LittleEndian.PutUint32(b[20:], uint32(h.options.Columns))
	binary.LittleEndian.PutUint64(b[24:], uint64(h.rows))
	binary.LittleEndian.PutUint32(b[checkedBytes:], crc32.Checksum(b[:checkedBytes], castagnoli))
	return b
}

var (
	errMagic    = stderrors.New("the file is not an index: it does not begin with " + magic)
	errChecksum = stderrors.New("the header's checksum is wrong")
	errReserved = stderrors.New("reserved bytes of the header are not zero")
)

// parseHeader returns the header of a file, and what is wrong with it: a status and a cause.
func parseHeader(file []byte) (h header, status errors.Status, cause error) {
	if len(file) < headerBytes {
		return h, errors.ErrMalformed, fmt.Errorf("the file has %d bytes, fewer than a header", len(file))
	}
	b := file[:headerBytes]
	switch {
	case string(b[:len(magic)]) != magic:
		return h, errors.ErrMalformed, errMagic
	case binary.LittleEndian.Uint32(b[checkedBytes:]) != crc32.Checksum(b[:checkedBytes], castagnoli):
		return h, errors.ErrMalformed, errChecksum
	case binary.LittleEndian.Uint32(b[8:]) != version:
		return h, errors.ErrUnsupported, fmt.Errorf("the file has version %d of the format, this program reads %d", binary.LittleEndian.Uint32(b[8:]), version)
	}
	for _, v := range b[32:checkedBytes] {
		if v != 0 {
			return h, errors.ErrMalformed, errReserved
		}
	}
	scalar, metric := binary.LittleEndian.Uint32(b[12:]), binary.LittleEndian.Uint32(b[16:])
	columns, rows := binary.LittleEndian.Uint32(b[20:]), binary.LittleEndian.Uint64(b[24:])
	switch {
	case scalar > math.MaxInt32 || width(abi.Scalar(scalar)) == 0:
		return h, errors.ErrMalformed, fmt.Errorf("there are no rows of scalar kind %d", scalar)
	case metric >= uint32(len(metrics)):
		return h, errors.ErrMalformed, fmt.Errorf("there is no metric %d", metric)
	case columns < 1 || columns > MostColumns:
		return h, errors.ErrMalformed, fmt.Errorf("there are %d columns, not 1 to %d", columns, MostColumns)
	case rows > math.MaxInt32:
		return h, errors.ErrMalformed, fmt.Errorf("there are %d rows, more than %d", rows, math.MaxInt32)
	}
	return header{Options{int(columns), abi.Scalar(scalar), Metric(metric)}, int(rows)}, 0, nil
}

// sections are the sizes of the sections of a file, in order: keys, norms, scales, values.
func (h header) sections() [4]int64 {
	rows := int64(h.rows)
	sizes := [4]int64{8 * rows, 4 * rows, 0, rows * int64(h.options.Columns*width(h.options.Scalar))}
	if h.options.Scalar == abi.ScalarI8 {
		sizes[2] = 4 * rows
	}
	return sizes
}

// padded is a section's size with the zeroes behind it.
func padded(size int64) int64 { return (size + sectionBytes - 1) / sectionBytes * sectionBytes }

// Open opens an index that [Index.Save] wrote. The file is mapped and rows are read from it as
// searches need them, so it opens at once and many processes share its memory. The index may be
// changed; changes are kept in RAM, and the file stays as it is: Save writes them, to the same path
// or to another. Where a system cannot map files, and on Windows, the file is read.
//
// While an index is open, its file may be replaced by renaming, as Save does, but not be written
// into. One that is cut short makes searches fail with [errors.ErrIO].
//
// A file that is not a whole index is [errors.ErrMalformed], one of a later version
// [errors.ErrUnsupported], and a refusal by the system [errors.ErrIO]. The lengths, the keys and
// the norms are checked; the scalars are not, as that would read all of the file.
func Open(path string) (*Index, error) {
	mapping, err := platform.MapFile(path)
	if stderrors.Is(err, errors.ErrOutOfMemory) {
		return nil, errors.New(verbOpen, errors.ErrOutOfMemory, errors.NoItem, err)
	}
	if err != nil {
		return nil, errors.New(verbOpen, errors.ErrIO, errors.NoItem, err)
	}
	index, err := parse(mapping)
	if err != nil {
		_ = mapping.Close()
		return nil, err
	}
	index.own(mapping)
	return index, nil
}

const verbOpen = "open an index"

// parse returns an index over a file, which it does not own yet.
func parse(mapping *platform.Mapping) (index *Index, err error) {
	index = &Index{mapping: mapping}
	defer index.shield(verbOpen, &err, nil, debug.SetPanicOnFault(true))
	file := mapping.Bytes()
	h, status, err := parseHeader(file)
	if err != nil {
		return nil, errors.New(verbOpen, status, errors.NoItem, err)
	}
	if index, err = newIndex(h.options); err != nil {
		return nil, err
	}
	base := segment{capacity: h.rows, sorted: true}
	expected := int64(headerBytes)
	for _, size := range h.sections() {
		expected += padded(size)
	}
	if int64(len(file)) != expected {
		return nil, malformed("the file has %d bytes: %d rows of %d columns take %d", len(file), h.rows, h.options.Columns, expected)
	}
	at := int64(headerBytes)
	for i, size := range h.sections() {
		*[]*[]byte{&base.keys, &base.norms, &base.scales, &base.values}[i] = file[at : at+size : at+size]
		at += padded(size)
	}
	if h.options.Scalar != abi.ScalarI8 {
		base.scales = nil
	}
	for row := range h.rows {
		switch {
		case row > 0 && base.key(row) <= base.key(row-1):
			return nil, malformed("the key of row %d is not larger than the one before", row)
		case !(base.norm(row) >= 0): // or not a number
			return nil, malformed("the norm of row %d is %v", row, base.norm(row))
		case !(base.scale(row) >= 0):
			return nil, malformed("the scale of row %d is %v", row, base.scale(row))
		}
	}
	if h.rows > 0 {
		index.current = snapshot{segments: []segment{base}, last: h.rows, live: h.rows}
	}
	return index, nil
}

func malformed(format string, arguments ...any) error {
	return errors.New(verbOpen, errors.ErrMalformed, errors.NoItem, fmt.Errorf(format, arguments...))
}
