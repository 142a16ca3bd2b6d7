package contract_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/loadertest"
)

// A verb of media on the table. Every verb that encodes begins and ends with the fields of
// text_encode. So the code that makes and reads calls of text_encode works for any of them, if the
// table has that verb in its place.
type medium struct {
	// items that encode, the last of them empty.
	items [][]byte
	// bad is an item that does not, and status the reason.
	bad    []byte
	status abi.Status
	// element is the size of the tape's elements in bytes, tokens the number of tokens of each
	// item.
	element int
	tokens  []int
	// files is whether a decoder is needed.
	files bool
	// verb calls it. What it keeps must live until the call is final.
	verb func(table *abi.Library, a *abi.TextEncode, keep func(any))
}

// sampleContent is a file of testdata/media.
func sampleContent(s *seam, path string) []byte {
	s.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "testdata", "media", filepath.FromSlash(path)))
	require.NoError(s, err)
	return content
}

// filesOf returns files, and a truncated one as the bad item.
func filesOf(s *seam, tokens []int, verb func(*abi.Library, *abi.TextEncode, func(any)), paths ...string) medium {
	m := medium{element: 1, files: true, status: abi.StatusMalformed, verb: verb, tokens: tokens}
	for _, path := range paths {
		m.items = append(m.items, sampleContent(s, path))
	}
	m.bad = m.items[0][:len(m.items[0])/2]
	m.items = append(m.items, nil)
	return m
}

func imagesOnTheTable(s *seam) {
	filesOf(s, []int{16, 16, 16, 0}, func(table *abi.Library, a *abi.TextEncode, keep func(any)) {
		b := &abi.ImageEncode{
			Model: a.Model, Executor: a.Executor, Outcome: a.Outcome, Completion: a.Completion, Scalar: a.Scalar, Count: a.Count,
			Images: a.Texts, Progress: a.Progress, ProgressState: a.ProgressState, Arena: a.Arena, Embeddings: a.Embeddings, States: a.States,
		}
		keep(b)
		table.ImageEncode(b)
	}, "images/progressive.jpg", "images/rgb-alpha-16.png", "images/lossless.webp").holds(s)
}

func videosOnTheTable(s *seam) {
	filesOf(s, []int{64, 64, 0}, func(table *abi.Library, a *abi.TextEncode, keep func(any)) {
		b := &abi.VideoEncode{
			Model: a.Model, Executor: a.Executor, Outcome: a.Outcome, Completion: a.Completion, Scalar: a.Scalar, Count: a.Count,
			Videos: a.Texts, Progress: a.Progress, ProgressState: a.ProgressState, Arena: a.Arena, Embeddings: a.Embeddings, States: a.States,
		}
		keep(b)
		table.VideoEncode(b)
	}, "video/mjpeg.mp4", "video/vp8-keys.webm").holds(s)
}

func recordingsOnTheTable(s *seam) {
	filesOf(s, nil, func(table *abi.Library, a *abi.TextEncode, keep func(any)) {
		b := &abi.AudioEncode{
			Model: a.Model, Executor: a.Executor, Outcome: a.Outcome, Completion: a.Completion, Scalar: a.Scalar, Count: a.Count,
			Recordings: a.Texts, Progress: a.Progress, ProgressState: a.ProgressState, Arena: a.Arena, Embeddings: a.Embeddings, States: a.States,
		}
		keep(b)
		table.AudioEncode(b)
	}, "audio/stereo.wav", "audio/s8.flac", "audio/celt.opus").holds(s)
}

func pixelsOnTheTable(s *seam) {
	medium{
		items: [][]byte{[]byte("123456789"), []byte("a picture of five and six, one wide."), nil}, bad: []byte("four"),
		status: abi.StatusShapeMismatch, element: 1, tokens: []int{16, 16, 0},
		verb: func(table *abi.Library, a *abi.TextEncode, keep func(any)) {
			b := &abi.ImageEncodePixels{
				Model: a.Model, Executor: a.Executor, Outcome: a.Outcome, Completion: a.Completion, Scalar: a.Scalar, Count: a.Count,
				Pixels: a.Texts, Progress: a.Progress, ProgressState: a.ProgressState, Arena: a.Arena, Embeddings: a.Embeddings, States: a.States,
			}
			heights, widths := make([]uint32, a.Count+1), make([]uint32, a.Count+1) // never empty
			for i := range int(a.Count) {
				bounds := a.Texts.Bounds(a.Count)
				heights[i], widths[i] = uint32(bounds[i+1]-bounds[i])/3, 1
			}
			b.Heights, b.Widths = &heights[0], &widths[0]
			keep(b)
			table.ImageEncodePixels(b)
		},
	}.holds(s)
}

func samplesOnTheTable(s *seam) {
	tone := func(count int) (memory []byte) {
		for i := range count {
			memory = binary.NativeEndian.AppendUint32(memory, math.Float32bits(float32(math.Sin(float64(i)/3))))
		}
		return memory
	}
	medium{
		items: [][]byte{tone(2000), tone(1), nil}, bad: binary.NativeEndian.AppendUint32(tone(3), math.Float32bits(float32(math.NaN()))),
		status: abi.StatusMalformed, element: 4,
		verb: func(table *abi.Library, a *abi.TextEncode, keep func(any)) {
			b := &abi.AudioEncodeSamples{
				Model: a.Model, Executor: a.Executor, Outcome: a.Outcome, Completion: a.Completion, Scalar: a.Scalar, Count: a.Count,
				Samples: a.Texts, Progress: a.Progress, ProgressState: a.ProgressState, Arena: a.Arena, Embeddings: a.Embeddings, States: a.States,
			}
			keep(b)
			table.AudioEncodeSamples(b)
		},
	}.holds(s)
}

// through returns the seam with the medium's verb in place of text_encode.
func (m medium) through(s *seam) *seam {
	on, table := *s.implementation, *s.table
	plain := s.table
	on.table = &table
	var kept []any
	table.TextEncode = func(a *abi.TextEncode) { m.verb(plain, a, func(b any) { kept = append(kept, b) }) }
	s.T.Cleanup(func() { kept = nil })
	return &seam{T: s.T, implementation: &on}
}

// calling returns a call for items.
func (m medium) calling(p place, items ...[]byte) *encoding {
	e := p.encoding()
	data, offsets := make([]byte, 3*m.element), []uintptr{3} // the first offset is three
	for _, item := range items {
		data = append(data, item...)
		offsets = append(offsets, uintptr(len(data)/m.element))
	}
	e.Count, e.Texts = uintptr(len(items)), abi.Tape(data, offsets)
	return e
}

// holds tests the facts of every verb that encodes, by their numbers.
func (m medium) holds(plain *seam) {
	if m.files && plain.name != embedded && !loadertest.FFmpeg() {
		plain.Log("the C library was built without FFmpeg")
		m.unserved(plain)
		return
	}
	for _, shown := range []struct {
		name string
		show func(*seam, medium, place)
	}{
		{"A05_A09_B15_D02_D14", mediumLeaves}, {"A12_A13_A16_A25_D01_D07_D11", mediumRefuses}, {"A14_A15_R03_R08", mediumContends},
		{"B13_D06", mediumRounds}, {"R01_R02", mediumReceivers}, {"R16", mediumReports},
	} {
		plain.Run(shown.name, func(t *testing.T) {
			s := m.through(&seam{T: t, implementation: plain.implementation})
			executor := s.executor()
			model, outcome := s.tryLoad(executor, filepath.Join("..", "..", "uform", "mini", "mini.safetensors"))
			s.succeeded(outcome)
			shown.show(s, m, place{executor, model, s.arena(executor)})
		})
	}
}

// unserved requires that the verb returns the status unsupported.
func (m medium) unserved(plain *seam) {
	s := m.through(plain)
	p := s.place(full())
	s.refused(m.calling(p, m.items...), abi.StatusUnsupported, -1)
}

func mediumLeaves(s *seam, m medium, p place) {
	all := s.read(s.encode(m.calling(p, m.items...)))
	require.Len(s, all.offsets, len(m.items)+1)
	require.Zero(s, all.offsets[0])
	for i := range m.items {
		require.InDelta(s, 1, cosine(all.row(i), all.row(i)), 1e-5)
		tokens := all.offsets[i+1] - all.offsets[i]
		require.Equal(s, len(m.items[i]) > 0, tokens > 0, "an empty item has no states")
		if m.tokens != nil {
			require.Equal(s, m.tokens[i], tokens)
		}
		alone := s.read(s.encode(m.calling(p, m.items[i])))
		require.Equal(s, all.row(i), alone.row(0), "item %d alone", i)
		require.Equal(s, all.item(i), alone.item(0))
	}
	// The empty item has the same vector as the empty text.
	require.Equal(s, s.read(s.encode(m.calling(p, nil))).row(0), all.row(len(m.items)-1))
}

func mediumRefuses(s *seam, m medium, p place) {
	e := s.encode(m.calling(p, m.items...))
	want := s.read(e)
	s.refused(m.calling(p.in(0), m.items...), abi.StatusInvalidArgument, -1)
	aliased := m.calling(p, m.items[0])
	aliased.Texts = abi.TapeView{Data: e.embeddings.Data, Offsets: &[]uintptr{0, 3}[0]}
	s.refused(aliased, abi.StatusInvalidArgument, -1)
	for _, change := range []func(*encoding){
		func(e *encoding) { e.Model = 0 },
		func(e *encoding) { e.Scalar = 99 },
		func(e *encoding) { e.Completion = 7 },
		func(e *encoding) { e.Embeddings, e.States = nil, nil },
		func(e *encoding) { e.Texts.Data = nil },
	} {
		bad := m.calling(p, m.items...)
		change(bad)
		s.refused(bad, abi.StatusInvalidArgument, -1)
	}
	s.refused(m.calling(p.on(0), m.items...).deferring(), abi.StatusInvalidArgument, -1)
	s.refused(m.calling(p, m.items...).scalars(abi.ScalarI8), abi.StatusUnsupported, -1)
	if s.name != embedded {
		other := s.gpu
		if s.onDevice {
			other = func(...int32) abi.Executor { return 0 }
		}
		s.refused(m.calling(p.in(s.arena(other())), m.items...), abi.StatusDevice, -1)
	}
	backwards := m.calling(p, m.items[0], m.items[1])
	bounds := backwards.Texts.Bounds(3)
	bounds[2] = bounds[1] - 1
	s.refused(backwards, abi.StatusInvalidArgument, 1)
	require.Equal(s, want, s.read(e), "a refused call does not rewind")

	s.refused(m.calling(p, m.items[0], m.bad), m.status, 1)
	cancelled := m.calling(p, m.items...)
	s.listen(&cancelled.Progress, &cancelled.ProgressState, func(uintptr, uintptr) bool { return false })
	s.refused(cancelled, abi.StatusCancelled, -1)
	none := s.encode(m.calling(p))
	require.Equal(s, []int{0}, s.offsets(none.states, 0))
	require.Equal(s, want, s.read(s.encode(m.calling(p, m.items...))), "everything stays usable")
}

func mediumContends(s *seam, m medium, p place) {
	e := m.calling(p, m.items...)
	g := s.running(e)
	s.refused(m.calling(p, m.items[0]), abi.StatusContended, -1)
	s.refused(m.calling(p, m.items[0]).deferring(), abi.StatusContended, -1)
	s.refused(m.calling(p.in(s.arena(p.executor)), m.items[0]), abi.StatusContended, -1)
	require.Equal(s, abi.StatusDeferred, s.table.OutcomeStatus(&e.outcome))
	g.Open()
	require.Equal(s, s.read(s.wait(e)), s.read(s.encode(m.calling(p, m.items...))))
}

func mediumRounds(s *seam, m medium, p place) {
	want := s.read(s.encode(m.calling(p, m.items...)))
	eighths := s.encode(m.calling(p, m.items...).as(abi.ScalarI8))
	for i, b := range s.raw(eighths.embeddings, len(m.items)) {
		require.InDelta(s, 127*float64(want.embeddings[i]), float64(int8(b)), 0.5+1e-4)
	}
	halved := s.encode(m.calling(p, m.items...).scalars(abi.ScalarBF16))
	for i, half := range halves(s.raw(halved.states.Rows, want.offsets[len(m.items)])) {
		value := float64(want.states[i])
		require.InDelta(s, value, float64(math.Float32frombits(uint32(half)<<16)), math.Abs(value)/256)
	}
	states := m.calling(p, m.items...)
	states.Embeddings = nil
	require.Equal(s, want.states, s.read(s.encode(states)).states)
	require.Equal(s, abi.RowsView{}, states.embeddings, "not requested")
}

func mediumReceivers(s *seam, m medium, p place) {
	want := s.read(s.encode(m.calling(p, m.items...)))
	for _, executor := range s.executors(p) {
		there := p.on(executor).in(s.arena(executor))
		require.Equal(s, want, s.read(s.encode(m.calling(there, m.items...))))
		if executor == 0 {
			continue
		}
		deferred := m.calling(there, m.items...)
		s.submit(deferred)
		require.Equal(s, want, s.read(s.wait(deferred)))
	}
}

func mediumReports(s *seam, m medium, p place) {
	items := slices.Concat(m.items, m.items, m.items)
	for _, executor := range s.executors(p) {
		var heard reports
		e := m.calling(p.on(executor), items...)
		s.listen(&e.Progress, &e.ProgressState, func(finished, total uintptr) bool {
			heard.hear(int(finished), int(total))
			return true
		})
		s.encode(e)
		heard.whole(s, len(items))
		require.Greater(s, len(heard.finished), 2, "between the items too")
		var until reports
		stopped := m.calling(p.on(executor), items...)
		s.listen(&stopped.Progress, &stopped.ProgressState, func(finished, total uintptr) bool {
			until.hear(int(finished), int(total))
			return len(until.finished) <= 1
		})
		s.refused(stopped, abi.StatusCancelled, -1)
		require.Len(s, until.finished, 2, "nothing is reported once the handler asked to stop")
	}
}
