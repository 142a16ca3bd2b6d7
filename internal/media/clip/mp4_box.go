package clip

import (
	"encoding/binary"
	"iter"
)

// box is a part of an MP4, which is boxes within boxes.
type box struct {
	kind string
	// start and end are the offsets of the box among its siblings, in bytes.
	start, end int
	body       []byte
}

const boxHeader = 8

// boxes walks over boxes that lie end to end. For a box that is longer than the rest it yields an
// error: for a box of the file itself that it ends early, else that it does not decode.
func boxes(data []byte, file bool) iter.Seq2[box, error] {
	return func(yield func(box, error) bool) {
		for at := 0; at < len(data); {
			rest := data[at:]
			if len(rest) < boxHeader {
				if file {
					yield(box{}, endsEarly(MP4))
				}
				return // within other boxes, some writers put a word of zeroes after the last
			}
			kind, header := string(rest[4:8]), boxHeader
			size := uint64(binary.BigEndian.Uint32(rest))
			switch {
			case size == 0 && file: // up to the end
				size = uint64(len(rest))
			case size == 1 && len(rest) >= 16:
				header, size = 16, binary.BigEndian.Uint64(rest[8:])
			case size == 1 && file:
				yield(box{}, endsEarly(MP4))
				return
			}
			switch {
			case size < uint64(header):
				yield(box{}, malformed("the MP4 does not decode: a box %q of %d bytes", kind, size))
				return
			case size > uint64(len(rest)) && file:
				yield(box{}, endsEarly(MP4))
				return
			case size > uint64(len(rest)):
				yield(box{}, malformed("the MP4 does not decode: a box %q of %d bytes in a parent with %d left", kind, size, len(rest)))
				return
			}
			end := at + int(size)
			if !yield(box{kind, at, end, rest[header:size:size]}, nil) {
				return
			}
			at = end
		}
	}
}

// children returns the first box of each kind in a body. A missing box has an empty body, which
// reads as zeroes.
func children(body []byte, kinds ...string) (map[string]box, error) {
	found := make(map[string]box, len(kinds))
	for child, err := range boxes(body, false) {
		if err != nil {
			return nil, err
		}
		for _, kind := range kinds {
			if _, again := found[kind]; child.kind == kind && !again {
				found[kind] = child
			}
		}
	}
	return found, nil
}

// descend returns the body of the box at a path of names, each within the one before; nil if there
// is none.
func descend(body []byte, kinds ...string) ([]byte, error) {
	for _, kind := range kinds {
		found, err := children(body, kind)
		if err != nil {
			return nil, err
		}
		inner, ok := found[kind]
		if !ok {
			return nil, nil
		}
		body = inner.body
	}
	return body, nil
}
