package uform

import (
	"fmt"
	"iter"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

const (
	cuttingText    = "cut text"
	countingTokens = "count tokens"
)

// Tokens counts the tokens that a text takes in the model's context, with those of its prompt and
// those that the model puts around each text: of its [Model.Windows], where the context does not
// hold it as a whole. It is how many the model computes when the text is embedded, which is what
// servers bill. Where a token is a byte, it is the text's length. nil is no options.
//
// A text that is not UTF-8 is [ErrMalformed]. Goroutines may call it at once. It calls no C entry
// point: only the embedded engine has models whose tokens are not bytes.
func (m *Model) Tokens(text string, options *TextOptions) (int, error) {
	switch {
	case m == nil:
		return 0, errors.New(countingTokens, errors.ErrInvalidArgument, errors.NoItem, errNoModel)
	case !utf8.ValidString(text):
		return 0, errors.New(countingTokens, errors.ErrMalformed, errors.NoItem, fmt.Errorf("the text is not UTF-8 at its byte %d", invalidAt(text)))
	case m.handle.Closed():
		return 0, errors.New(countingTokens, errors.ErrInvalidArgument, errors.NoItem, closed("model"))
	case m.bytewise():
		return len(text), nil
	}
	measure := newMeasure(options)
	covered, err := m.covers(countingTokens, measure, text)
	if err != nil || covered == len(text) {
		return measure.arguments.Tokens, err
	}
	total := 0
	for window, err := range m.windows(text, options) {
		if err == nil {
			_, err = m.covers(countingTokens, measure, window)
		}
		if err != nil {
			return 0, err
		}
		total += measure.arguments.Tokens
	}
	return total, nil
}

// newMeasure returns a question for the tokens of texts.
func newMeasure(options *TextOptions) *asking[abi.TextMeasure, struct{}] {
	measure := newAsking[abi.TextMeasure, struct{}]()
	if options != nil {
		measure.arguments.TextPrompt = abi.TextPrompt{Prompt: options.Prompt, NoPrompt: options.NoPrompt}
	}
	return measure
}

// Windows cuts a text into windows that the model's context holds, as [Windows] does by bytes: for
// programs that want a vector for each part of a long text, which they encode with the same
// options. Of those, the prompt takes room, and nothing else matters; nil is none. A text that is
// not UTF-8 is [ErrMalformed], and that error comes first. Where the context does not hold a single
// character, that is a window of its own.
func (m *Model) Windows(text string, options *TextOptions) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if m == nil {
			yield("", errors.New(cuttingText, errors.ErrInvalidArgument, errors.NoItem, errNoModel))
			return
		}
		if !utf8.ValidString(text) {
			yield("", errors.New(cuttingText, errors.ErrMalformed, errors.NoItem, fmt.Errorf("the text is not UTF-8 at its byte %d", invalidAt(text))))
			return
		}
		m.windows(text, options)(yield)
	}
}

// windows cuts a text in UTF-8.
func (m *Model) windows(text string, options *TextOptions) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		measure := newMeasure(options)
		for rest := text; rest != ""; {
			end, err := m.windowEnd(measure, rest)
			if err != nil {
				yield("", err)
				return
			}
			if !yield(rest[:end], nil) {
				return
			}
			rest = rest[end:]
		}
	}
}

// windowEnd is where the first window of a text ends, which is not empty.
func (m *Model) windowEnd(measure *asking[abi.TextMeasure, struct{}], text string) (int, error) {
	context := m.description.Context
	if m.bytewise() {
		return windowEnd(text, context), nil
	}
	// Only as much is measured as is likely to fill the context, or a long text would be measured
	// from each window on to its end.
	const usual = 8 // bytes of a token, hardly ever more
	held := 0
	for most := min(max(1, context), len(text)/usual+1) * usual; ; most *= 2 {
		head := text
		if len(text) > most {
			head = text[:lastBound(text, most)]
		}
		covered, err := m.covers(cuttingText, measure, head)
		if err != nil {
			return 0, err
		}
		if covered == len(text) {
			return covered, nil
		}
		if covered < len(head) {
			held = covered
			break
		}
	}
	// The tokens up to an earlier end may be others, and more.
	for held > 0 {
		end := windowEnd(text, held)
		covered, err := m.covers(cuttingText, measure, text[:end])
		if err != nil {
			return 0, err
		}
		if covered == end {
			return end, nil
		}
		held = min(covered, held-1)
	}
	_, size := utf8.DecodeRuneInString(text)
	return size, nil
}

// covers returns how many bytes of a text the tokens that the context holds stand for.
func (m *Model) covers(verb string, measure *asking[abi.TextMeasure, struct{}], text string) (int, error) {
	if !m.handle.BeginCall() {
		return 0, errors.New(verb, errors.ErrInvalidArgument, errors.NoItem, closed("model"))
	}
	defer m.handle.EndCall()
	a := &measure.arguments
	a.Model, a.Outcome = m.handle.Value(), &measure.outcome
	a.Text = append(a.Text[:0], text...)
	m.library.table.TextMeasure(a)
	return a.Covered, errors.Of(verb, &measure.outcome)
}
