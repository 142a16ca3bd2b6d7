package contract_test

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
)

// encoding is one call of text_encode with all its outputs.
type encoding struct {
	abi.TextEncode
	outcome    abi.Outcome
	embeddings abi.RowsView
	states     abi.RowsTapeView
}

// in returns the place with another arena.
func (p place) in(arena abi.Arena) place {
	p.arena = arena
	return p
}

// on returns the place with another executor; 0 is the calling thread.
func (p place) on(executor abi.Executor) place {
	p.executor = executor
	return p
}

// encoding asks for both outputs, blocking on the place's executor.
func (p place) encoding(texts ...string) *encoding {
	e := &encoding{}
	plant(&e.outcome)
	e.TextEncode = abi.TextEncode{
		Model: p.model, Executor: p.executor, Outcome: &e.outcome, Arena: p.arena,
		Count: uintptr(len(texts)), Texts: tape(texts),
		Embeddings: &e.embeddings, States: &e.states,
	}
	return e
}

// deferring returns the same call, deferred.
func (e *encoding) deferring() *encoding {
	e.Completion = abi.CompletionDeferring
	return e
}

// as returns the same call for embeddings alone, of another kind.
func (e *encoding) as(scalar abi.Scalar) *encoding {
	e.Scalar, e.States = scalar, nil
	return e
}

// tape stores texts end to end. The first begins at an offset of three.
func tape(texts []string) abi.TapeView {
	data, offsets := []byte("???"), []uintptr{3}
	for _, text := range texts {
		data = append(data, text...)
		offsets = append(offsets, uintptr(len(data)))
	}
	return abi.Tape(data, offsets)
}

// encode runs a blocking call and requires that it succeeds.
func (s *seam) encode(e *encoding) *encoding {
	s.Helper()
	s.table.TextEncode(&e.TextEncode)
	s.succeeded(&e.outcome)
	return e
}

// refused runs a call that ends at once, blocking or not, and requires that its outputs are NULL.
func (s *seam) refused(e *encoding, status abi.Status, item int) {
	s.Helper()
	e.embeddings = abi.RowsView{Data: abi.Pointer(77), Stride: 77, Columns: 77}
	e.states = abi.RowsTapeView{Rows: e.embeddings, Offsets: abi.Pointer(77)}
	plant(&e.outcome)
	s.table.TextEncode(&e.TextEncode)
	s.failed(&e.outcome, status, item)
	s.leftNothing(e)
}

// leftNothing requires that the outputs that the call was given are NULL.
func (s *seam) leftNothing(e *encoding) {
	s.Helper()
	if e.Embeddings != nil {
		require.Nil(s, e.embeddings.Data, "embeddings")
	}
	if e.States != nil {
		require.Nil(s, e.states.Rows.Data, "states")
		require.Nil(s, e.states.Offsets, "offsets of states")
	}
}

// running submits a deferred call, and returns when the call waits at its gate.
func (s *seam) running(e *encoding) *gate {
	s.Helper()
	g := s.gate(&e.Progress, &e.ProgressState)
	s.Cleanup(func() { s.table.OutcomeWait(&e.outcome) }) // e lives until it is final
	s.table.TextEncode(&e.deferring().TextEncode)
	require.Equal(s, abi.StatusDeferred.String(), s.table.OutcomeStatus(&e.outcome).String())
	comes(s.T, g.entered)
	return g
}

// blocked makes a blocking call on another goroutine, and returns when the call waits at its gate.
// The channel is closed when the call has returned.
func (s *seam) blocked(e *encoding) (*gate, <-chan struct{}) {
	s.Helper()
	g := s.gate(&e.Progress, &e.ProgressState)
	returned := make(chan struct{})
	s.Cleanup(func() { <-returned })
	go func() {
		defer close(returned)
		s.table.TextEncode(&e.TextEncode)
	}()
	comes(s.T, g.entered)
	return g, returned
}

// submit submits a call, which may be final at once.
func (s *seam) submit(e *encoding) {
	s.Helper()
	s.table.TextEncode(&e.deferring().TextEncode)
	s.Cleanup(func() { s.table.OutcomeWait(&e.outcome) })
}

// hold submits a call that its executor only holds.
func (s *seam) hold(e *encoding) {
	s.Helper()
	s.submit(e)
	require.Equal(s, abi.StatusDeferred.String(), s.table.OutcomeStatus(&e.outcome).String())
}

// wait requires that a deferred call succeeds.
func (s *seam) wait(e *encoding) *encoding {
	s.Helper()
	waited := make(chan abi.Status, 1)
	go func() { waited <- s.table.OutcomeWait(&e.outcome) }()
	require.Equal(s, abi.StatusSuccess.String(), comes(s.T, waited).String(), text(&e.outcome))
	s.succeeded(&e.outcome)
	return e
}

// encoded is a copy of a call's outputs.
type encoded struct {
	embeddings []float32
	columns    int
	states     []float32
	width      int
	offsets    []int
}

// row is the embedding of item i.
func (o encoded) row(i int) []float32 { return o.embeddings[i*o.columns : (i+1)*o.columns] }

// item is the states of item i.
func (o encoded) item(i int) [][]float32 {
	rows := make([][]float32, 0, o.offsets[i+1]-o.offsets[i])
	for row := o.offsets[i]; row < o.offsets[i+1]; row++ {
		rows = append(rows, o.states[row*o.width:(row+1)*o.width])
	}
	return rows
}

// read copies the outputs of a call in f32.
func (s *seam) read(e *encoding) encoded {
	s.Helper()
	out := encoded{columns: int(e.embeddings.Columns), width: int(e.states.Rows.Columns)}
	if e.Embeddings != nil {
		out.embeddings = s.floats(e.embeddings, int(e.Count))
	}
	if e.States != nil {
		out.offsets = s.offsets(e.states, int(e.Count))
		out.states = s.floats(e.states.Rows, out.offsets[e.Count])
	}
	return out
}

// floats copies count rows of f32.
func (s *seam) floats(view abi.RowsView, count int) []float32 {
	s.Helper()
	require.Equal(s, abi.ScalarF32, view.Scalar)
	return floats(s.raw(view, count))
}

// raw copies count rows of any kind. They are packed.
func (s *seam) raw(view abi.RowsView, count int) []byte {
	s.Helper()
	sizes := map[abi.Scalar]uintptr{abi.ScalarF32: 4, abi.ScalarF16: 2, abi.ScalarBF16: 2, abi.ScalarI8: 1}
	require.Contains(s, sizes, view.Scalar)
	require.Equal(s, view.Columns*sizes[view.Scalar], view.Stride, "rows are packed")
	return s.bytes(uintptr(view.Data), uintptr(count)*view.Stride)
}

// offsets copies the offsets of count items.
func (s *seam) offsets(view abi.RowsTapeView, count int) []int {
	s.Helper()
	require.NotNil(s, view.Offsets)
	offsets := words(s.bytes(uintptr(view.Offsets), uintptr(count+1)*wordBytes))
	require.IsNonDecreasing(s, append([]int{0}, offsets...))
	return offsets
}

// wordBytes is the size of a word.
const wordBytes = bits.UintSize / 8

// words are the words of memory.
func words(memory []byte) []int {
	var words []int
	for ; len(memory) > 0; memory = memory[wordBytes:] {
		if wordBytes == 8 {
			words = append(words, int(binary.NativeEndian.Uint64(memory)))
		} else {
			words = append(words, int(binary.NativeEndian.Uint32(memory)))
		}
	}
	return words
}

// floats are the 32-bit floats of memory.
func floats(memory []byte) []float32 {
	floats := make([]float32, 0, len(memory)/4)
	for ; len(memory) > 0; memory = memory[4:] {
		floats = append(floats, math.Float32frombits(binary.NativeEndian.Uint32(memory)))
	}
	return floats
}

// halves are the 16-bit words of memory.
func halves(memory []byte) []uint16 {
	halves := make([]uint16, 0, len(memory)/2)
	for ; len(memory) > 0; memory = memory[2:] {
		halves = append(halves, binary.NativeEndian.Uint16(memory))
	}
	return halves
}

// choosing is one call of text_choose with all its outputs.
type choosing struct {
	abi.TextChoose
	outcome       abi.Outcome
	probabilities abi.RowsTapeView
}

// choosing scores the choices of each text, blocking on the place's executor.
func (p place) choosing(texts, choices []string, types ...uint32) *choosing {
	c := &choosing{}
	plant(&c.outcome)
	c.TextChoose = abi.TextChoose{
		Model: p.model, Executor: p.executor, Outcome: &c.outcome, Arena: p.arena,
		Count: uintptr(len(texts)), Texts: tape(texts), Choices: tape(choices), Probabilities: &c.probabilities,
	}
	if len(types) > 0 {
		c.QuestionTypes = &types[0]
	}
	return c
}

// choose runs a blocking call, requires that it succeeds, and copies the probabilities of each
// item.
func (s *seam) choose(c *choosing) [][]float32 {
	s.Helper()
	s.table.TextChoose(&c.TextChoose)
	s.succeeded(&c.outcome)
	require.EqualValues(s, 1, c.probabilities.Rows.Columns)
	offsets := s.offsets(c.probabilities, int(c.Count))
	require.Zero(s, offsets[0])
	all := s.floats(c.probabilities.Rows, offsets[c.Count])
	items := make([][]float32, c.Count)
	for i := range items {
		items[i] = all[offsets[i]:offsets[i+1]]
	}
	return items
}

// refusedChoice runs a call that ends at once, and requires that its outputs are NULL.
func (s *seam) refusedChoice(c *choosing, status abi.Status, item int) {
	s.Helper()
	c.probabilities = abi.RowsTapeView{Rows: abi.RowsView{Data: abi.Pointer(77)}, Offsets: abi.Pointer(77)}
	plant(&c.outcome)
	s.table.TextChoose(&c.TextChoose)
	s.failed(&c.outcome, status, item)
	if c.Probabilities != nil {
		require.Nil(s, c.probabilities.Rows.Data, "probabilities")
		require.Nil(s, c.probabilities.Offsets, "offsets of probabilities")
	}
}
