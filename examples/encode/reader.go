package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
)

// The limits of a batch, in lines and in bytes, and of one read.
const (
	batchLines = 4096
	batchBytes = 1 << 20
	readBytes  = 64 << 10
)

// batch is lines to encode in one call.
type batch struct {
	texts uform.Tape
	// cut counts the lines that are longer than the model's context, lost the bytes that are cut
	// from them.
	cut, lost int
	// from and to are the offsets of the batch in the bytes of all inputs.
	from, to int64
	// err is the reason why no batch follows: io.EOF, or a fault in the line after its last.
	err error
}

// reader reads the lines of its inputs, one after the other, into batches.
type reader struct {
	inputs []input
	// context is the number of bytes of a line that the model reads.
	context int
	// lossy replaces invalid bytes.
	lossy bool
	// most is the most lines of a batch.
	most int

	current io.ReadCloser
	stream  *bufio.Reader
	name    string
	number  int   // of the line, from 1
	read    int64 // bytes of all inputs

	head, held []byte
}

// feed fills the batches that it receives and passes them on, until one has an error or ctx ends.
func (r *reader) feed(ctx context.Context, empty <-chan *batch, filled chan<- *batch) {
	defer close(filled)
	defer r.leave()
	for {
		var b *batch
		select {
		case b = <-empty:
		case <-ctx.Done():
			return
		}
		r.fill(b)
		// A batch that was passed on belongs to another goroutine.
		over := b.err != nil
		select {
		case filled <- b:
		case <-ctx.Done():
			return
		}
		if over {
			return
		}
	}
}

// fill fills a batch. It ends early if the next read might block, so that interactive lines are
// encoded at once.
func (r *reader) fill(b *batch) {
	b.texts.Reset()
	b.cut, b.lost, b.from, b.err = 0, 0, r.read, nil
	for b.err == nil && b.texts.Len() < r.most && len(b.texts.Data) < batchBytes {
		if r.current == nil {
			b.err = r.enter()
			continue
		}
		switch err := r.line(b); {
		case errors.Is(err, io.EOF):
			r.leave()
		case err != nil:
			b.err = command.At(fmt.Sprintf("%s:%d", r.name, r.number), err)
		case r.stream.Buffered() == 0:
			b.to = r.read
			return
		}
	}
	b.to = r.read
}

// enter opens the next input. It returns io.EOF after the last.
func (r *reader) enter() (err error) {
	if len(r.inputs) == 0 {
		return io.EOF
	}
	r.name, r.number = r.inputs[0].name, 0
	if r.current, err = r.inputs[0].open(); err != nil {
		return err
	}
	r.inputs = r.inputs[1:]
	if r.stream == nil {
		r.stream = bufio.NewReaderSize(nil, readBytes)
	}
	r.stream.Reset(r.current)
	return nil
}

func (r *reader) leave() {
	if r.current != nil {
		r.current.Close()
		r.current = nil
	}
}

var errNotUTF8 = errors.New("the line is not UTF-8: convert it, or pass -lossy")

// line appends the next line to the batch. It returns io.EOF if there is none.
//
// A line may be larger than memory. Of a line that is longer than the context only the head is
// kept, through the end of the character that the context ends in: the library checks that a text
// is UTF-8 before it cuts it to the context. The rest is checked while it is skipped.
func (r *reader) line(b *batch) error {
	r.number++
	r.head, r.held = r.head[:0], r.held[:0]
	for length, begun := 0, false; ; begun = true {
		part, err := r.stream.ReadSlice('\n')
		r.read += int64(len(part))
		more := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case errors.Is(err, io.EOF) && len(part) == 0 && !begun:
			return io.EOF
		case err != nil && !more && !errors.Is(err, io.EOF):
			return err
		}
		if len(r.held) > 0 {
			r.held = append(r.held, part...)
			part = r.held
		}
		var held []byte
		if more {
			whole := len(part) - unfinished(part)
			part, held = part[:whole], part[whole:]
		} else {
			part = bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r"))
		}
		if !utf8.Valid(part) {
			if !r.lossy {
				return errNotUTF8
			}
			part = []byte(string([]rune(string(part))))
		}
		length += len(part)
		if room := r.context - len(r.head); room > 0 {
			r.head = append(r.head, part[:through(part, room)]...)
		}
		r.held = append(r.held[:0], held...)
		if !more {
			if lost := length - r.context; lost > 0 {
				b.cut++
				b.lost += lost
			}
			b.texts.Append(r.head)
			return nil
		}
	}
}

// unfinished returns the number of bytes at the end of a part of a line that cannot be interpreted
// without the next part: a CR that an LF may follow, or the beginning of a character.
func unfinished(part []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(part); n++ {
		switch tail := part[len(part)-n:]; {
		case n == 1 && tail[0] == '\r':
			return n
		case utf8.RuneStart(tail[0]) && !utf8.FullRune(tail):
			return n
		case utf8.RuneStart(tail[0]):
			return 0
		}
	}
	return 0
}

// through returns the smallest cut at or after n that splits no character of text.
func through(text []byte, n int) int {
	n = min(n, len(text))
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}
