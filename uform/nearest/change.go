package nearest

import (
	stderrors "errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/unum-cloud/uform-go/errors"
)

var errNoIndex = stderrors.New("the index is nil: make one with New or Open")

// Add adds rows with a key each. A row is copied, and rounded to the index's kind.
//
// All rows are added, or none. An error names the item at fault: a key that the index has, or that
// is there twice, is [errors.ErrInvalidArgument]; a row of another length than the index's columns
// is [errors.ErrShapeMismatch]; a scalar that is no number, or more than the kind holds, is
// [errors.ErrMalformed].
func (x *Index) Add(keys []uint64, rows [][]float32) error {
	return x.change("add rows", keys, rows, false)
}

// Replace is [Index.Add], but takes the place of rows that have the same key. A search sees either
// the old row or the new one.
func (x *Index) Replace(keys []uint64, rows [][]float32) error {
	return x.change("replace rows", keys, rows, true)
}

func (x *Index) change(verb string, keys []uint64, rows [][]float32, replace bool) (err error) {
	if err := x.begin(verb); err != nil {
		return err
	}
	defer x.end()
	x.changing.Lock()
	defer x.changing.Unlock()
	defer x.shield(verb, &err, nil, debug.SetPanicOnFault(true))
	if len(keys) != len(rows) {
		return errors.New(verb, errors.ErrInvalidArgument, errors.NoItem,
			fmt.Errorf("there are %d keys and %d rows: pass one key a row", len(keys), len(rows)))
	}
	changed := changed{index: x, snapshot: x.current}
	seen := make(map[uint64]struct{}, len(keys))
	var old []place
	for i, key := range keys {
		at, there := x.find(key)
		_, twice := seen[key]
		switch {
		case there && !replace:
			return errors.New(verb, errors.ErrInvalidArgument, i, fmt.Errorf("the index has key %d: use Replace", key))
		case twice:
			return errors.New(verb, errors.ErrInvalidArgument, i, fmt.Errorf("key %d is there twice", key))
		case len(rows[i]) != x.columns:
			return errors.New(verb, errors.ErrShapeMismatch, i, fmt.Errorf("the row has %d columns, the index %d", len(rows[i]), x.columns))
		}
		if err := x.check(rows[i]); err != nil {
			return errors.New(verb, errors.ErrMalformed, i, err)
		}
		seen[key] = struct{}{}
		if there {
			old = append(old, at)
		}
	}
	for _, at := range old {
		changed.remove(at)
	}
	for i, key := range keys {
		at, to := changed.room()
		x.put(to, int(at.row), key, rows[i])
		x.places[key] = at
	}
	x.publish(changed.compacted())
	return nil
}

// Delete deletes the rows with these keys, and returns how many there were. Keys that the index
// does not have are ignored. Their memory is used again in time; rows of a file leave it when the
// index is saved.
func (x *Index) Delete(keys []uint64) (deleted int, err error) {
	const verb = "delete rows"
	if err := x.begin(verb); err != nil {
		return 0, err
	}
	defer x.end()
	x.changing.Lock()
	defer x.changing.Unlock()
	defer x.shield(verb, &err, nil, debug.SetPanicOnFault(true))
	old := make([]place, len(keys))
	for i, key := range keys {
		at, there := x.find(key)
		if !there {
			at = nowhere
		}
		old[i] = at
	}
	changed := changed{index: x, snapshot: x.current}
	for i, at := range old {
		if at != nowhere && !changed.segments[at.segment].isGone(int(at.row)) { // the key may be there twice
			changed.remove(at)
			delete(x.places, keys[i])
			deleted++
		}
	}
	x.publish(changed.compacted())
	return deleted, nil
}

// changed is a snapshot that becomes the next one. What it shares with the present one stays as it
// is.
type changed struct {
	snapshot
	index *Index
	// owned are the segments whose bits of rows that are gone are this snapshot's own. It is nil as
	// long as the list of segments is shared.
	owned map[int32]bool
}

// remove marks a row as gone.
func (c *changed) remove(at place) {
	if c.owned == nil {
		c.owned = make(map[int32]bool)
		c.segments = slices.Clone(c.segments)
	}
	s := &c.segments[at.segment]
	if !c.owned[at.segment] {
		c.owned[at.segment] = true
		bits := make([]uint64, (s.capacity+63)/64)
		copy(bits, s.gone)
		s.gone = bits
	}
	s.gone[at.row/64] |= 1 << (at.row % 64)
	c.live--
}

// Segments in RAM double up to a size, so that a small index is small, and a large one is not
// copied as it grows.
const (
	fewestRows   = 64
	mostRows     = 1 << 16
	segmentBytes = 16 << 20
)

// room returns the place of a row to be appended, in a segment that the present snapshot does not
// see there.
func (c *changed) room() (place, *segment) {
	last := len(c.segments) - 1
	if last < 0 || c.last == c.segments[last].capacity {
		capacity := fewestRows
		if last >= 0 && !c.segments[last].sorted {
			capacity = 2 * c.segments[last].capacity
		}
		capacity = max(1, min(capacity, mostRows, segmentBytes/c.index.rowBytes()))
		c.segments = append(c.segments, c.index.newSegment(capacity))
		c.last, last = 0, last+1
	}
	at := place{int32(last), int32(c.last)}
	c.last++
	c.live++
	c.index.appended++
	return at, &c.segments[last]
}

// compacted returns the snapshot, without the rows in RAM that are gone where those are the most.
func (c *changed) compacted() snapshot {
	x := c.index
	if x.appended-len(x.places) <= len(x.places)+mostRows/16 {
		return c.snapshot
	}
	next := changed{index: x}
	x.appended = 0
	for i := range c.segments {
		if c.segments[i].sorted {
			next.snapshot = snapshot{segments: []segment{c.segments[i]}, last: c.count(i)}
			for row := range c.count(i) {
				if !c.segments[i].isGone(row) {
					next.live++
				}
			}
			continue
		}
		for row := range c.count(i) {
			if !c.segments[i].isGone(row) {
				at, to := next.room()
				x.copyRow(to, int(at.row), &c.segments[i], row)
				x.places[to.key(int(at.row))] = at
			}
		}
	}
	return next.snapshot
}
