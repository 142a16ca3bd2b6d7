package model

import (
	"strconv"

	"github.com/unum-cloud/uform-go/internal/fold"
	"github.com/unum-cloud/uform-go/internal/kernel"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// Scratch is the working memory of a call. It grows to what the largest call needed and stays
// there, so that repeated work allocates nothing. The zero value is ready. One call at a time may
// use it, of any model. It must not be copied once in use.
type Scratch struct {
	batch  batch  // the items of the call; a local batch would escape to the heap
	padded []byte // a text between spaces
	folded []byte // the texts of a group, folded
	folder fold.Folder
	spans  []trunk.Span  // the texts of a group that are not empty
	items  []int         // the place of each in the group
	hidden []float32     // the input rows of a group, and later its states, in the memory of trunk
	grams  grams         // of the text that is read
	rows   []uint32      // the rows of a table that a block of positions takes
	ends   []int         // of the rows of each of these positions
	gather kernel.Gather // of these rows
	block  []float32     // the input rows of a block of positions
	row    []float32     // one state
	sum    []float64     // the sum of rows
	pooled []float32     // the projection's input, a row for each span
	dense  []float32     // the projection's result

	lane     []float64 // the lexical lane of one text
	lanePart []float32 // its latest positions
	hashes   []uint64  // of some n-grams
	weights  []float32 // of these

	logits []float64 // of one item's choices

	trunk trunk.Scratch
}

// Join adds the goroutine that computes in s to the team, as a busy one. It must not be in a team
// before.
func (s *Scratch) Join(team *trunk.Team) { s.trunk.Join(team) }

// Help takes parts of the others' work until no goroutine of the team is busy any more, and leaves
// the team.
func (s *Scratch) Help() { s.trunk.Help() }

// Bytes returns the memory that the scratch holds.
func (s *Scratch) Bytes() uint64 {
	const word = strconv.IntSize / 8
	bytes := cap(s.padded) + cap(s.folded) + s.folder.Bytes() + (2*cap(s.spans)+cap(s.items)+cap(s.ends))*word
	bytes += 4 * (cap(s.rows) + cap(s.block) + cap(s.row) + cap(s.pooled) + cap(s.dense) + cap(s.lanePart) + cap(s.weights))
	bytes += 8 * (cap(s.sum) + cap(s.lane) + cap(s.hashes) + cap(s.logits))
	return uint64(bytes) + s.trunk.Bytes()
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
