package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/unum-cloud/uform-go/uform"
)

// arrayFile writes a NumPy version 1 file of little-endian float32, one row for each vector.
//
// The header comes first and holds the number of rows, which is known only at the end. If the
// output is a file, the header is written with space for any number, and overwritten at the end.
// Otherwise, such as into a pipe or at the end of a file opened for appending, the rows go to a
// temporary file first, and are copied after the header at the end: that takes as much disk as the
// output.
type arrayFile struct {
	out     io.Writer
	columns int
	rows    int
	body    *bufio.Writer
	line    []byte

	// file is the output if its header, at start, can be overwritten; otherwise spool holds the
	// rows.
	file  *os.File
	start int64
	spool *os.File
}

func newArrayFile(out io.Writer, columns int) (*arrayFile, error) {
	a := &arrayFile{out: out, columns: columns}
	if a.file, a.start = rewritable(out); a.file != nil {
		a.body = bufio.NewWriterSize(out, 64<<10)
		_, err := a.body.Write(header(0, columns))
		return a, err
	}
	var err error
	if a.spool, err = os.CreateTemp("", "encode-*.rows"); err != nil {
		return nil, err
	}
	a.body = bufio.NewWriterSize(a.spool, 64<<10)
	return a, nil
}

// rewritable returns the output and its offset, if what is written there can be overwritten later.
func rewritable(out io.Writer) (*os.File, int64) {
	file, ok := out.(*os.File)
	if !ok {
		return nil, 0
	}
	about, err := file.Stat()
	if err != nil || !about.Mode().IsRegular() {
		return nil, 0
	}
	// A file in append mode refuses even this.
	if _, err := file.WriteAt(nil, 0); err != nil {
		return nil, 0
	}
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0
	}
	return file, start
}

// headerBytes is the length of every header: NumPy requires a multiple of 64, and this fits any two
// numbers.
const headerBytes = 128

// header returns the magic, the version, the length of the rest, and a Python literal padded with
// spaces.
func header(rows, columns int) []byte {
	const preamble = 10
	head := []byte("\x93NUMPY\x01\x00")
	head = binary.LittleEndian.AppendUint16(head, headerBytes-preamble)
	literal := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	return fmt.Appendf(head, "%-*s\n", headerBytes-preamble-1, literal)
}

func (a *arrayFile) write(rows uform.Rows) error {
	for _, row := range rows.All() {
		a.line = a.line[:0]
		for _, value := range row {
			a.line = binary.LittleEndian.AppendUint32(a.line, math.Float32bits(value))
		}
		if _, err := a.body.Write(a.line); err != nil {
			return err
		}
		a.rows++
	}
	return nil
}

// flush does nothing: the file cannot be read before its end.
func (a *arrayFile) flush() error { return nil }

func (a *arrayFile) close() error {
	if a.spool != nil {
		defer os.Remove(a.spool.Name())
		defer a.spool.Close()
	}
	if err := a.body.Flush(); err != nil {
		return err
	}
	head := header(a.rows, a.columns)
	if a.file != nil {
		_, err := a.file.WriteAt(head, a.start)
		return err
	}
	if _, err := a.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := a.out.Write(head); err != nil {
		return err
	}
	size := int64(a.rows) * int64(a.columns) * 4
	if copied, err := io.Copy(a.out, a.spool); err != nil || copied != size {
		return errors.Join(err, fmt.Errorf("copied %d of %d bytes from the temporary file", copied, size))
	}
	return nil
}
