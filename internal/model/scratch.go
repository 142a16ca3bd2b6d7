package model

import (
	"strconv"

	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Scratch is the memory that a call works in. It grows to what the largest call needed and keeps that, so that work
// that repeats allocates nothing. The zero value is ready. One call at a time may use it, of any model. It must not be
// copied once in use.
type Scratch struct {
	batch  batch  // the items of the call, here because kernels keep what they point to from the stack
	padded []byte // a text between spaces
	folded []byte // the texts of a group, folded
	folder fold.Folder
	spans  []textSpan // the texts of a group that are not empty
	row    []float32  // one input row or state
	sum    []float64  // the sum of such rows
	pooled []float32  // what the projection takes, a row for each span
	dense  []float32  // what it gives

	hidden  []float32 // h of the trunk, a row for each byte of a group
	queries []float32 // and then the attention's result
	keys    []float32
	values  []float32
	askers  []asker

	// What a part of the work takes, of this goroutine's batch or of another's.
	normed []float32 // u of some rows
	inner  []float32 // the feed-forward part's inside, of some rows
	scores []float32 // some queries against every key
	sums   []float32 // of the exponentials of each of those

	// Activations as the bytes that a model of bytes multiplies: what enters a part of a layer, a piece of the inside, and some queries.
	rounded, roundedInner, roundedQueries kernel.Bytes

	packedKeys, packedValues kernel.Packed // of one head of one text
	byteKeys                 kernel.PackedBytes

	lane     []float64 // the lexical lane of one text
	lanePart []float32 // and its latest positions

	logits []float64 // of one item's choices

	team *Team
	work work
}

// textSpan is where a text stands in its batch and where its rows stand in its group; there its folded bytes stand, too.
type textSpan struct {
	item          int
	start, length int
}

// Bytes is the memory that the scratch holds.
func (s *Scratch) Bytes() uint64 {
	floats := 0
	for _, buffer := range [][]float32{
		s.row, s.pooled, s.dense, s.hidden, s.normed, s.queries, s.keys, s.values, s.inner, s.scores, s.sums, s.lanePart,
	} {
		floats += cap(buffer)
	}
	const word = strconv.IntSize / 8
	bytes := cap(s.padded) + cap(s.folded) + s.folder.Bytes() + cap(s.spans)*3*word + cap(s.askers)*8*word + 4*floats
	bytes += 8 * (cap(s.sum) + cap(s.lane) + cap(s.logits))
	bytes += s.rounded.Bytes() + s.roundedInner.Bytes() + s.roundedQueries.Bytes()
	return uint64(bytes + s.packedKeys.Bytes() + s.packedValues.Bytes() + s.byteKeys.Bytes())
}

// grow is a slice of length elements in *buffer, whose memory is replaced where it is too small. Contents are
// arbitrary.
func grow[T any](buffer *[]T, length int) []T {
	if cap(*buffer) < length {
		*buffer = make([]T, length)
	}
	*buffer = (*buffer)[:length]
	return *buffer
}
