package items

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/uform"
)

// The largest line and the largest file that are read into memory.
const (
	LargestLine = 16 << 20
	LargestFile = 256 << 20
)

// Item is what becomes one vector.
type Item struct {
	// Name is the file's path, and for a line ":" and its number from 1.
	Name string
	// Source is the file's path alone.
	Source   string
	Modality uform.Modality
	Content  []byte
	// Fault is why there is no content.
	Fault error
}

// Batch is some items of one modality, in the order of the sources.
type Batch struct {
	Modality uform.Modality
	Items    []Item
	// After is where the next batch begins, Read the bytes of all sources up to there.
	After Position
	Read  int64
}

// Position is a place between two items.
type Position struct {
	// Source is the index of a source, Offset the place in it, and Line the lines before.
	Source int   `json:"source"`
	Offset int64 `json:"offset"`
	Line   int   `json:"line"`
}

// The limits of a batch. Pictures take more memory once they are decoded, one at a time for each
// worker.
const (
	batchTexts, batchTextBytes = 256, 256 << 10
	batchFiles, batchFileBytes = 16, 16 << 20
)

// Reader reads the items of sources. One goroutine at a time may use it.
type Reader struct {
	sources  []Source
	unit     Unit
	standard io.Reader
	// SkipBlank leaves out lines of white space.
	SkipBlank bool

	at      Position
	read    int64 // bytes of the sources before the current one
	current io.ReadCloser
	stream  *bufio.Reader
	lines   bool // the current source is read by lines
	held    *Item
	// heldAfter is the position after the held item.
	heldAfter Position
}

// NewReader returns a reader that begins at a position; the zero position is the beginning.
func NewReader(sources []Source, unit Unit, standard io.Reader, at Position) (*Reader, error) {
	if at.Source > len(sources) {
		return nil, fmt.Errorf("the reading stopped at file %d of %d", at.Source, len(sources))
	}
	r := &Reader{sources: sources, unit: unit, standard: standard, at: at, stream: bufio.NewReaderSize(nil, 64<<10)}
	for _, s := range sources[:at.Source] {
		r.read += max(s.Size, 0)
	}
	return r, nil
}

// Close closes the file that is open.
func (r *Reader) Close() {
	if r.current != nil {
		r.current.Close()
		r.current = nil
	}
}

// Next returns the next batch, or [io.EOF] after the last. An error of the system ends the reading;
// an item that is at fault does not.
func (r *Reader) Next() (*Batch, error) {
	b := new(Batch)
	bytes := 0
	for {
		before := r.at
		item, err := r.item()
		if errors.Is(err, io.EOF) && len(b.Items) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(b.Items) == 0 {
			b.Modality = item.Modality
		} else if item.Modality != b.Modality {
			after := r.at
			r.held, r.heldAfter, r.at = item, after, before
			break
		}
		b.Items = append(b.Items, *item)
		bytes += len(item.Content)
		most, mostBytes := batchTexts, batchTextBytes
		if b.Modality != uform.Text {
			most, mostBytes = batchFiles, batchFileBytes
		}
		if len(b.Items) == most || bytes >= mostBytes || r.mightBlock() {
			break
		}
	}
	b.After, b.Read = r.at, r.read+r.at.Offset
	return b, nil
}

// mightBlock reports whether the next read waits for somebody who types or another program: what
// there is is encoded first.
func (r *Reader) mightBlock() bool {
	return r.current != nil && r.sources[r.at.Source].Size == unknown && r.stream.Buffered() == 0
}

// item returns the next item.
func (r *Reader) item() (*Item, error) {
	if item := r.held; item != nil {
		r.held, r.at = nil, r.heldAfter
		return item, nil
	}
	for {
		if r.current == nil {
			if r.at.Source == len(r.sources) {
				return nil, io.EOF
			}
			if err := r.enter(); err != nil {
				return nil, err
			}
		}
		if !r.lines {
			return r.whole()
		}
		item, err := r.line()
		if errors.Is(err, io.EOF) {
			r.leave()
			continue
		}
		if err != nil || !r.SkipBlank || item.Fault != nil || len(bytes.TrimSpace(item.Content)) > 0 {
			return item, err
		}
	}
}

// enter opens the current source, and decides how it is read.
func (r *Reader) enter() error {
	source := &r.sources[r.at.Source]
	file, err := source.open(r.at.Offset, r.standard)
	if err != nil {
		return err
	}
	r.current = file
	r.stream.Reset(file)
	if r.at.Offset > 0 { // only lines are left in the middle
		r.lines = true
		return nil
	}
	head, err := r.stream.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", source.Name(), err)
	}
	text := Sniff(head) == uform.Text
	r.lines = text && (r.unit == Lines || r.unit == Auto && !source.inFolder)
	return nil
}

// leave ends the current source.
func (r *Reader) leave() {
	r.Close()
	r.read += max(r.sources[r.at.Source].Size, 0)
	r.at = Position{Source: r.at.Source + 1}
}

// whole returns the current source as one item.
func (r *Reader) whole() (*Item, error) {
	source := r.sources[r.at.Source]
	item := &Item{Name: source.Name(), Source: source.Name()}
	content, err := io.ReadAll(io.LimitReader(r.stream, LargestFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source.Name(), err)
	}
	item.Modality = Sniff(content[:min(sniffed, len(content))])
	switch {
	case len(content) > LargestFile:
		item.Fault = fmt.Errorf("the file is larger than %d MiB", LargestFile>>20)
	case item.Modality == uform.Text && !utf8.Valid(content):
		item.Fault = fmt.Errorf("the file is no text in UTF-8, and no picture, video or recording of a known format")
	default:
		item.Content = content
	}
	r.leave()
	return item, nil
}

// line returns the next line of the current source. It ends with LF, CR LF or the end of the file.
func (r *Reader) line() (*Item, error) {
	source := r.sources[r.at.Source]
	var content []byte
	length := 0
	for {
		part, err := r.stream.ReadSlice('\n')
		r.at.Offset += int64(len(part))
		length += len(part)
		if length <= LargestLine+2 {
			content = append(content, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && length == 0 {
			return nil, io.EOF
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", source.Name(), err)
		}
		break
	}
	r.at.Line++
	item := &Item{Name: fmt.Sprintf("%s:%d", source.Name(), r.at.Line), Source: source.Name()}
	content = bytes.TrimSuffix(bytes.TrimSuffix(content, []byte("\n")), []byte("\r"))
	switch {
	case length > LargestLine+2 || len(content) > LargestLine:
		item.Fault = fmt.Errorf("the line is longer than %d MiB", LargestLine>>20)
	case !utf8.Valid(content):
		item.Fault = fmt.Errorf("the line is not UTF-8")
	default:
		item.Content = content
	}
	return item, nil
}
