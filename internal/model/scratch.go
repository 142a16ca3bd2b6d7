package model

import (
	"strconv"

	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Scratch is the working memory of a call. It grows to what the largest call needed and stays
// there, so that repeated work allocates nothing. The zero value is ready. One call at a time may
// use it, of any model. It must not be copied once in use.
type Scratch struct {
	batch  batch  // the items of the call; a local batch would escape to the heap
	padded []byte // a text between spaces
	folded []byte // the texts of a group, folded
	folder fold.Folder
	spans  []textSpan // the texts of a group that are not empty
	row    []float32  // one input row or state
	sum    []float64  // the sum of rows
	pooled []float32  // the projection's input, a row for each span
	dense  []float32  // the projection's result

	hidden      []float32 // h of the trunk, a row for each byte of a group
	queries     []float32 // later the attention's result
	keys        []float32
	values      []float32
	queryBlocks []queryBlock

	// The memory of one part of the work, of this goroutine's batch or of another's.
	normed []float32 // u of some rows
	inner  []float32 // the inner rows of the feed-forward part
	scores []float32 // some queries against every key
	sums   []float32 // the sums of the exponentials of each of those

	// Activations rounded to bytes, for products with matrices of bytes: the input of a part of a
	// layer, a piece of the inner rows, and some queries.
	rounded, roundedInner, roundedQueries kernel.Bytes

	packedKeys, packedValues kernel.Packed // of one head of one text
	byteKeys                 kernel.PackedBytes

	lane     []float64 // the lexical lane of one text
	lanePart []float32 // its latest positions

	logits []float64 // of one item's choices

	team *Team
	work work
}

// textSpan is the place of a text in its batch, of its rows in their group, and of its folded
// bytes.
type textSpan struct {
	item          int
	start, length int
}

// Bytes returns the memory that the scratch holds.
func (s *Scratch) Bytes() uint64 {
	floats := 0
	for _, buffer := range [][]float32{
		s.row, s.pooled, s.dense, s.hidden, s.normed, s.queries, s.keys, s.values, s.inner, s.scores, s.sums, s.lanePart,
	} {
		floats += cap(buffer)
	}
	const word = strconv.IntSize / 8
	bytes := cap(s.padded) + cap(s.folded) + s.folder.Bytes() + cap(s.spans)*3*word + cap(s.queryBlocks)*8*word + 4*floats
	bytes += 8 * (cap(s.sum) + cap(s.lane) + cap(s.logits))
	bytes += s.rounded.Bytes() + s.roundedInner.Bytes() + s.roundedQueries.Bytes()
	return uint64(bytes + s.packedKeys.Bytes() + s.packedValues.Bytes() + s.byteKeys.Bytes())
}

// grow returns a slice of length elements in *buffer, whose memory is replaced if it is too small.
// The contents are arbitrary.
func grow[T any](buffer *[]T, length int) []T {
	if cap(*buffer) < length {
		*buffer = make([]T, length)
	}
	*buffer = (*buffer)[:length]
	return *buffer
}
