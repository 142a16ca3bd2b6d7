package clip

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
)

// timeline is the visible part of a track.
type timeline struct {
	// order is the indices of the samples that are shown, in presentation order.
	order []int
	// starts is when each sample of order begins, relative to the first. It never decreases.
	starts []int64
	// length is the time from the first frame to the end of the last.
	length int64
}

// newTimeline sorts the samples of a track by presentation, and leaves out what an edit list hides.
func newTimeline(t *track) (*timeline, error) {
	var order []int
	for i, s := range t.samples {
		if !s.hidden {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.samples[a].start, t.samples[b].start) })
	if len(order) == 0 {
		return nil, malformed("the %s has no frame in its video track", t.format)
	}
	end := t.end(order)
	// A frame is shown until the next begins, whatever its own duration: durations are in decoding
	// order, so they belong to other frames.
	first := sort.Search(len(order)-1, func(i int) bool { return t.samples[order[i+1]].start > t.shownFrom })
	last := sort.Search(len(order), func(i int) bool { return t.samples[order[i]].start >= t.shownTo })
	over := t.samples[order[len(order)-1]].start < t.shownFrom && end <= t.shownFrom
	if first >= last || over {
		return nil, malformed("the %s has an edit list that shows none of its frames", t.format)
	}
	order = order[first:last]
	begin := max(t.samples[order[0]].start, t.shownFrom)
	if end > t.shownTo && end-t.shownTo > t.slack {
		end = t.shownTo
	}
	line := &timeline{order: order, starts: make([]int64, len(order)), length: max(end-begin, 0)}
	for i, sample := range order {
		line.starts[i] = max(t.samples[sample].start-begin, 0)
	}
	return line, nil
}

// end returns when the last of some frames, in presentation order, ends.
func (t *track) end(order []int) int64 {
	last := t.samples[order[len(order)-1]]
	switch {
	case last.duration != unknown:
		return last.start + last.duration
	case len(order) == 1:
		return last.start
	}
	return last.start + last.start - t.samples[order[len(order)-2]].start
}

// pick returns the indices of the samples that are shown at (j + 1/2) · length/count, for j from 0
// to count − 1.
func (l *timeline) pick(count int) []int {
	picked := make([]int, count)
	for j := range picked {
		// The fractions are compared by products, which may need 128 bits.
		high, low := bits.Mul64(uint64(2*j+1), uint64(l.length))
		later := sort.Search(len(l.starts), func(i int) bool {
			h, w := bits.Mul64(uint64(2*count), uint64(l.starts[i]))
			return h > high || h == high && w > low
		})
		picked[j] = l.order[later-1]
	}
	return picked
}
