package trunk

import (
	"strconv"

	"github.com/unum-cloud/uform-go/internal/kernel"
)

// Scratch is the working memory of a call. It grows to what the largest call needed and stays
// there, so that repeated work allocates nothing. The zero value is ready. One call at a time may
// use it, of any trunk. It must not be copied once in use.
type Scratch struct {
	spans   []Span    // of the call
	hidden  []float32 // the rows that go from layer to layer
	queries []float32 // later the attention's result
	keys    []float32
	values  []float32
	blocks  []queryBlock

	// The memory of one part of the work, of this goroutine's batch or of another's.
	normed []float32 // the norms of some rows
	scaled []float32 // what a part of a layer adds to some rows, before its scale
	inner  []float32 // the inner rows of the feed-forward part
	gate   []float32 // of those
	scores []float32 // some queries against their keys
	sums   []float32 // the sums of the exponentials of each of those
	biases []float32 // of the scores, by the distance of the key
	apart  []float32 // inputs of some rows that are not rounded

	// Rows rounded to bytes, for products with matrices of bytes: the input of a part of a layer, a
	// piece of the inner rows, and some queries.
	rounded, roundedInner, roundedQueries kernel.Bytes

	packedKeys, packedValues kernel.Packed // of one head of one text
	byteKeys                 kernel.PackedBytes

	team *Team
	work work

	watch watch
}

// Hidden returns memory for rows rows of width scalars end to end: the input of [Trunk.Forward].
// The contents are those of the last call as far as they fit, and arbitrary if the memory had to
// grow. It is valid until the next call.
func (s *Scratch) Hidden(rows, width int) []float32 { return grow(&s.hidden, rows*width) }

// Bytes returns the memory that the scratch holds.
func (s *Scratch) Bytes() uint64 {
	floats := 0
	for _, buffer := range [][]float32{
		s.hidden, s.queries, s.keys, s.values, s.normed, s.scaled, s.inner, s.gate, s.scores, s.sums, s.biases, s.apart,
	} {
		floats += cap(buffer)
	}
	const word = strconv.IntSize / 8
	bytes := 4*floats + cap(s.blocks)*8*word
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
