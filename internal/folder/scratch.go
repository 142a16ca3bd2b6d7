package folder

import (
	"strconv"

	"github.com/unum-cloud/uform-go/internal/tokenizer"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

// Scratch is the working memory of a call. It grows to what the largest call needed and stays
// there, so that repeated work allocates nothing. The zero value is ready. One call at a time may
// use it, of any model. It must not be copied once in use.
type Scratch struct {
	trunk  trunk.Scratch
	tokens tokenizer.Scratch

	prompted []byte       // a text behind its prompt
	spans    []trunk.Span // the texts of a group that have ids
	items    []int        // which text of the group each is
	row      []float32    // one input row
	sum      []float64    // the sum of rows
	pooled   []float32    // a row for each text of a group, on its way through the steps
	stepped  []float32    // what a step makes of them
	residual []float32
}

// Join adds the goroutine that computes in s to a team, as a busy one. It must not be in a team
// before.
func (s *Scratch) Join(team *trunk.Team) { s.trunk.Join(team) }

// Help takes parts of the others' work until no goroutine of the team is busy any more, and leaves
// the team.
func (s *Scratch) Help() { s.trunk.Help() }

// Bytes returns the memory that the scratch holds.
func (s *Scratch) Bytes() uint64 {
	const word = strconv.IntSize / 8
	floats := cap(s.row) + cap(s.pooled) + cap(s.stepped) + cap(s.residual)
	bytes := cap(s.prompted) + (2*cap(s.spans)+cap(s.items))*word + 4*floats + 8*cap(s.sum)
	return uint64(bytes) + s.trunk.Bytes() + uint64(s.tokens.Bytes())
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
