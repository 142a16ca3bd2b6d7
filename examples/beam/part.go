package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// part is the lines of a file that begin at Start or later, and before End, in bytes.
type part struct {
	File       string
	Start, End int64
}

// name is the name of what is written of the part: the same each time that it is done.
func (p part) name() string {
	sum := fnv.New64a()
	sum.Write([]byte(p.File))
	return fmt.Sprintf("%s-%016x-%015d.parquet", path.Base(p.File), sum.Sum64(), p.Start)
}

// splitFn divides files into parts.
type splitFn struct{ Bytes int64 }

// ProcessElement emits the parts of a file.
func (f *splitFn) ProcessElement(file fileio.FileMetadata, emit func(part)) {
	for start := int64(0); start < file.Size; start += f.Bytes {
		emit(part{file.Path, start, min(start+f.Bytes, file.Size)})
	}
}

// longest is the length at which a line counts as bad: by then it is no text for an embedding, and
// memory for it need not be there.
const longest = 1 << 20

var errTooLong = fmt.Errorf("the line has more than %d bytes", longest)

// lines reads the lines of a part.
type lines struct {
	file   io.Closer
	stream *bufio.Reader
	at     int64 // the offset in the file of the next byte
	end    int64
	long   []byte // a line that the stream's buffer does not hold
}

// open opens the part's file at its first line. On a file system without a way to seek, such as
// gs://, what stands before is read and dropped.
func (p part) open(ctx context.Context) (*lines, error) {
	system, err := filesystem.New(ctx, p.File)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	file, err := system.OpenRead(ctx, p.File)
	if err != nil {
		return nil, err
	}
	l := &lines{file: file, stream: bufio.NewReaderSize(nil, 64<<10), end: p.End}
	// The line that the byte before Start belongs to, is of the part before.
	if l.at = max(p.Start-1, 0); l.at > 0 {
		if seeker, can := file.(io.Seeker); can {
			_, err = seeker.Seek(l.at, io.SeekStart)
		} else {
			_, err = io.CopyN(io.Discard, file, l.at)
		}
	}
	l.stream.Reset(file)
	if err == nil && p.Start > 0 {
		_, _, err = l.line()
		if errors.Is(err, errTooLong) || errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// next is the next line, valid until the call after, and its offset. After the last one the error
// is io.EOF. It is errTooLong for a line that was skipped: more may follow.
func (l *lines) next() (text []byte, offset int64, err error) {
	if l.at >= l.end {
		return nil, l.at, io.EOF
	}
	return l.line()
}

// line reads to the end of a line, or of the file.
func (l *lines) line() (text []byte, offset int64, err error) {
	offset = l.at
	l.long = l.long[:0]
	for whole := false; ; whole = true {
		piece, err := l.stream.ReadSlice('\n')
		l.at += int64(len(piece))
		more := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case err != nil && !more && !errors.Is(err, io.EOF):
			return nil, offset, err
		case l.at == offset:
			return nil, offset, io.EOF
		case l.at-offset > longest:
			l.long = l.long[:0]
		case more || whole:
			l.long = append(l.long, piece...)
		}
		switch {
		case more:
			continue
		case l.at-offset > longest:
			return nil, offset, errTooLong
		case whole:
			piece = l.long
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(piece, []byte("\n")), []byte("\r")), offset, nil
	}
}

func (l *lines) close() error { return l.file.Close() }
