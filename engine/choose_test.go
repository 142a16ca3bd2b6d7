package engine_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/model"
)

// choosing is one call of text_choose with all of its outputs.
type choosing struct {
	abi.TextChoose
	outcome       abi.Outcome
	probabilities abi.RowsTapeView
}

func (w *world) choosing(m abi.Model, arena abi.Arena, texts, choices []string) *choosing {
	c := &choosing{}
	c.TextChoose = abi.TextChoose{
		Model: m, Arena: arena, Outcome: &c.outcome,
		Count: uintptr(len(texts)), Texts: tape(texts...), Choices: tape(choices...),
		Probabilities: &c.probabilities,
	}
	return c
}

func (w *world) failsToChoose(c *choosing, status abi.Status, item int) {
	w.t.Helper()
	w.TextChoose(&c.TextChoose)
	requireFailure(w.t, &c.outcome, status, item)
	require.Zero(w.t, c.probabilities)
}

// reference scores one item with the model directly.
func reference(t *testing.T, m *model.Model, text, choices string, questionType uint32) []float32 {
	probabilities := make([]float32, len(choices))
	var scratch model.Scratch
	require.NoError(t, m.Choose(&scratch, [][]byte{[]byte(text)}, [][]byte{[]byte(choices)}, []uint32{questionType}, probabilities, nil))
	return probabilities
}

func TestChoose(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	alone, err := model.Parse(checkpoint(t, tiny()), nil)
	require.NoError(t, err)
	longest := strings.Repeat("ab", 48)
	texts := []string{"yes or no", "", "übung", strings.Repeat("x", 1000) + longest}
	choices := []string{"yn", "abc", "\xff\x00", "xy"}
	types := []uint32{0, 1, 1, 0}
	cut := []string{texts[0], "", texts[2], longest} // the head is cut off, never the end

	for name, executor := range map[string]abi.Executor{"calling thread": 0, "inclusive": w.inline(), "exclusive": w.executor(3, abi.CallerExclusive)} {
		t.Run(name, func(t *testing.T) {
			c := w.choosing(m, w.arena(), texts, choices)
			c.Executor = executor
			c.QuestionTypes = &types[0]
			w.TextChoose(&c.TextChoose)
			requireSuccess(t, &c.outcome)
			require.Equal(t, []uintptr{0, 2, 5, 7, 9}, offsets(c.probabilities, 4))
			view := c.probabilities.Rows
			require.Equal(t, abi.RowsView{Data: view.Data, Stride: 4, Columns: 1, Scalar: abi.ScalarF32}, view)
			got := floats(view, 9)
			for i := range texts {
				want := reference(t, alone, cut[i], choices[i], types[i])
				item := got[offsets(c.probabilities, 4)[i]:][:len(choices[i])]
				require.Equal(t, want, item, "item %d", i)
				sum := 0.0
				for _, p := range item {
					sum += float64(p)
				}
				require.InDelta(t, 1, sum, 1e-6)
			}
		})
	}

	c := w.choosing(m, w.arena(), texts[:1], choices[:1]) // without types: type zero
	w.TextChoose(&c.TextChoose)
	requireSuccess(t, &c.outcome)
	require.Equal(t, reference(t, alone, texts[0], choices[0], 0), floats(c.probabilities.Rows, 2))
	require.False(t, math.IsNaN(float64(floats(c.probabilities.Rows, 2)[0])))
}

func TestChooseNothing(t *testing.T) {
	w := newWorld(t)
	c := w.choosing(w.load(tiny()), w.arena(), nil, nil)
	c.Texts, c.Choices = abi.TapeView{}, abi.TapeView{}
	w.TextChoose(&c.TextChoose)
	requireSuccess(t, &c.outcome)
	require.Equal(t, []uintptr{0}, offsets(c.probabilities, 0))
	require.Nil(t, c.probabilities.Rows.Data)
}

func TestChooseRefuses(t *testing.T) {
	w := newWorld(t)
	m, mute, arena := w.load(tiny()), w.load(bare()), w.arena()
	for name, row := range map[string]struct {
		change func(*choosing)
		status abi.Status
		item   int
	}{
		"no decoder":          {func(c *choosing) { c.Model = mute }, abi.StatusUnsupported, -1},
		"reserved":            {func(c *choosing) { c.Reserved = 1 }, abi.StatusInvalidArgument, -1},
		"reserved first":      {func(c *choosing) { c.Reserved, c.Model = 1, mute }, abi.StatusInvalidArgument, -1},
		"completion":          {func(c *choosing) { c.Completion = 2 }, abi.StatusInvalidArgument, -1},
		"nobody to defer":     {func(c *choosing) { c.Completion = abi.CompletionDeferring }, abi.StatusInvalidArgument, -1},
		"callback":            {func(c *choosing) { c.Progress = 1 }, abi.StatusInvalidArgument, -1},
		"no texts":            {func(c *choosing) { c.Texts.Data = nil }, abi.StatusInvalidArgument, -1},
		"no choices":          {func(c *choosing) { c.Choices.Offsets = nil }, abi.StatusInvalidArgument, -1},
		"texts decrease":      {func(c *choosing) { c.Texts.Offsets = &[]uintptr{0, 2, 1}[0] }, abi.StatusInvalidArgument, 1},
		"choices decrease":    {func(c *choosing) { c.Choices.Offsets = &[]uintptr{2, 1, 3}[0] }, abi.StatusInvalidArgument, 0},
		"not UTF-8":           {func(c *choosing) { c.Texts = tape("fine", "\xc3") }, abi.StatusMalformed, 1},
		"empty choices":       {func(c *choosing) { c.Choices = tape("a", "") }, abi.StatusInvalidArgument, 1},
		"repeated choice":     {func(c *choosing) { c.Choices = tape("a", "bcdb") }, abi.StatusInvalidArgument, 1},
		"type out of range":   {func(c *choosing) { c.QuestionTypes = &[]uint32{1, 2}[0] }, abi.StatusInvalidArgument, 1},
		"types past memory":   {func(c *choosing) { c.QuestionTypes = endOfMemory() }, abi.StatusInvalidArgument, -1},
		"count without end":   {func(c *choosing) { c.Count = math.MaxUint }, abi.StatusInvalidArgument, -1},
		"count past the end":  {func(c *choosing) { c.Count = math.MaxUint / 8 }, abi.StatusInvalidArgument, -1},
		"offsets past memory": {func(c *choosing) { c.Choices.Offsets = &[]uintptr{0, 1, math.MaxUint}[0] }, abi.StatusInvalidArgument, -1},
	} {
		t.Run(name, func(t *testing.T) {
			c := w.choosing(m, arena, []string{"one", "two"}, []string{"abc", "de"})
			row.change(c)
			w.failsToChoose(c, row.status, row.item)
		})
	}
	c := w.choosing(m, arena, []string{"one"}, []string{"ab"})
	c.Probabilities = nil
	w.TextChoose(&c.TextChoose)
	requireFailure(t, &c.outcome, abi.StatusInvalidArgument, -1)
}

func TestChooseStops(t *testing.T) {
	w := newWorld(t)
	m := w.load(tiny())
	for last := range 3 { // at the first report, and while it runs
		c := w.choosing(m, w.arena(), []string{"a text", "another"}, []string{"abc", "de"})
		l := &listener{t: t, answer: func(n int, _, _ uintptr) bool { return n <= last }}
		c.Progress, c.ProgressState = abi.Progress(w.ProgressCallback), abi.HoldProgress(l.hear)
		w.failsToChoose(c, abi.StatusCancelled, -1)
		require.Len(t, l.reports, last+1)
		abi.ReleaseProgress(c.ProgressState)
	}
}
