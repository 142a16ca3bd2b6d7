package clip

import (
	"bytes"
	"math"
	"math/bits"
)

// segment is a WebM while it is read.
type segment struct {
	limits Limits
	track  *track
	// scale is nanoseconds in a unit of the file's time. A track's own units are nanoseconds.
	scale uint64
	// number is the video track's in blocks, each the nanoseconds from one frame to the next where the track says.
	number uint64
	each   int64
	// cluster is the time that the blocks of a cluster count from.
	cluster uint64
}

// readWebM reads the elements of the file, of its segment and of the clusters in there as if they were in one row: what is in
// a cluster cannot be elsewhere, so nothing has to tell where an unsized one ends.
func readWebM(data []byte, limits Limits) (*track, error) {
	s := &segment{limits: limits, scale: 1e6}
	end, inSegment := len(data), false
	clusterEnd := 0 // zero outside of clusters whose size is known
	for at := 0; at < end; {
		if at == clusterEnd {
			clusterEnd = 0
		}
		e, size, ok := nextElement(data[at:end])
		room := end
		if clusterEnd > 0 {
			room = clusterEnd
		}
		body := at + len(data[at:end]) - len(e.body) // where it begins, if it ends too late
		fits := ok && (e.unsized || size <= uint64(len(e.body)))
		switch {
		case !ok && broken(data[at:end]):
			return nil, malformed("the WebM does not decode: an element begins with % x", data[at:min(at+12, end)])
		case !fits && end == len(data):
			return nil, endsEarly(WebM)
		case !fits, e.unsized && e.id != idSegment && e.id != idCluster, !e.unsized && at+e.end > room:
			return nil, malformed("the WebM does not decode: element %#x does not end in the one that it is in", e.id)
		}
		switch {
		case e.id == idSegment && inSegment:
			return s.finish() // another file behind this one
		case e.id == idSegment:
			inSegment = true
			if !e.unsized {
				end = at + e.end
			}
			at = headEnd(at, &e, body)
			continue
		case e.id == idCluster:
			if s.track == nil {
				return nil, malformed("the WebM has no video track")
			}
			clusterEnd = 0
			if !e.unsized {
				clusterEnd = at + e.end
			}
			at = headEnd(at, &e, body)
			continue
		}
		if inSegment {
			if err := s.read(&e); err != nil {
				return nil, err
			}
		}
		at += e.end
	}
	return s.finish()
}
