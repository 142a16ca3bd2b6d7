package uform

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/errors"
)

// EmbedOptions say how texts are embedded. The zero value takes texts of any length.
type EmbedOptions struct {
	// Whole refuses a text longer than the model's context, with [ErrInvalidArgument] and its item,
	// instead of embedding it by windows.
	Whole bool
	// Prompt and NoPrompt are those of [TextOptions], for each window.
	Prompt   string
	NoPrompt bool
	// Skip, where it is set, is told of each text at fault: one that is not UTF-8, or is too long
	// where Whole is set. The error names its item and the cause. Such a text has no vector (nil),
	// and the others are embedded; without Skip it fails the call. Skip is called in the order of
	// the texts, before a call without an error returns, by the goroutine that called; it must not
	// wait for the same [Pool].
	Skip func(fault *Error)
	// Progress receives reports of the call in texts, without those that are not UTF-8 and skipped.
	Progress Handler
}

// Embed returns one embedding for each text, a copy that is the caller's: EmbeddingColumns floats
// of unit length, unless the model of a folder makes others. It is the short way for programs
// without an executor or an arena of their own, and works on the calling goroutine's thread.
//
// Nothing is cut. A text longer than the model's context is encoded by its [Model.Windows], some at
// a time, however long it is; its vector is the mean of theirs, weighted by their bytes, and made
// as long as they are. A window of white space alone counts only where there are no others.
//
// A text that is not UTF-8 is [ErrMalformed] and names the item. A model in device memory needs an
// executor, so it cannot. Goroutines may call it at once. It calls uform_text_encode, for many
// windows more than once.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return m.EmbedWith(ctx, texts, nil)
}

// EmbedWith is [Model.Embed] with options.
func (m *Model) EmbedWith(ctx context.Context, texts []string, options *EmbedOptions) ([][]float32, error) {
	if m == nil {
		return nil, errors.New(encodingTexts, errors.ErrInvalidArgument, errors.NoItem, errNoModel)
	}
	into, err := m.borrowArena()
	if err != nil {
		return nil, err
	}
	defer m.arenas.Put(into)
	return m.here().embed(ctx, texts, into, options)
}

func (m *Model) borrowArena() (*Arena, error) {
	if into, ok := m.arenas.Get().(*Arena); ok {
		return into, nil
	}
	return m.library.NewArena(nil)
}

func (r receiver) embed(ctx context.Context, texts []string, into *Arena, options *EmbedOptions) ([][]float32, error) {
	if options == nil {
		options = new(EmbedOptions)
	}
	if options.Skip != nil {
		return r.embedSkipping(ctx, texts, into, options)
	}
	// Texts of fewer bytes than the context has tokens are hardly ever too long, so those are not
	// measured.
	limit := r.model.description.Context
	if !options.Whole && slices.ContainsFunc(texts, func(text string) bool { return len(text) > limit }) {
		return r.embedWindows(ctx, texts, into, options)
	}
	encoding := options.encoding()
	encoding.Whole, encoding.Progress = options.Whole, options.Progress
	encoded, err := r.textEncode(ctx, Strings(texts), into, encoding)
	switch {
	case err != nil:
		return nil, err
	case len(encoded.Cut) > 0:
		return r.embedWindows(ctx, texts, into, options)
	}
	return encoded.Embeddings.Copy()
}

// encoding returns the options for the windows.
func (o *EmbedOptions) encoding() *TextOptions {
	return &TextOptions{Prompt: o.Prompt, NoPrompt: o.NoPrompt}
}

// How much of windows is encoded at once: enough to keep threads busy, and little memory however
// long a text is.
const (
	windowsAtOnce = 1 << 10
	bytesAtOnce   = 1 << 20
)

// embedWindows embeds texts of which some are longer than the context.
func (r receiver) embedWindows(ctx context.Context, texts []string, into *Arena, options *EmbedOptions) ([][]float32, error) {
	if ctx.Err() != nil {
		return nil, errors.New(encodingTexts, errors.ErrCancelled, errors.NoItem, context.Cause(ctx))
	}
	for i, text := range texts {
		if !utf8.ValidString(text) {
			return nil, notUTF8(text, i)
		}
	}
	e := &embedding{
		receiver: r, into: into, options: options.encoding(), handler: options.Progress, vectors: make([][]float32, len(texts)),
	}
	for item, text := range texts {
		for window, err := range windowsThatCount(text, r.model.windows(text, e.options)) {
			if err != nil {
				return nil, whileCutting(err, item)
			}
			if len(e.items) == windowsAtOnce || len(e.items) > 0 && len(e.batch.Data)+len(window) > bytesAtOnce {
				if err := e.encode(ctx, false); err != nil {
					return nil, err
				}
			}
			e.batch.AppendString(window)
			e.items = append(e.items, item)
		}
	}
	if err := e.encode(ctx, true); err != nil {
		return nil, err
	}
	e.finish()
	return e.vectors, nil
}

// windowsThatCount are those of a text's windows that its vector is the mean of. An empty text is
// one.
func windowsThatCount(text string, windows iter.Seq2[string, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		blank, others := "", false
		for window, err := range windows {
			if err == nil && len(window) < len(text) && strings.TrimSpace(window) == "" {
				blank = window
				continue
			}
			others = true
			if !yield(window, err) {
				return
			}
		}
		if !others {
			yield(blank, nil)
		}
	}
}

// embedding is an Embed under way, of windows.
type embedding struct {
	receiver receiver
	into     *Arena
	options  *TextOptions
	handler  Handler
	vectors  [][]float32

	// batch has the windows to be encoded next, items the index of each one's text.
	batch Tape
	items []int

	// sum is that of the windows of the text at index summed so far, each times its bytes; windows
	// counts them. lengths is the sum of the lengths of those vectors, each times its bytes.
	sum            []float64
	summed         int
	windows        int
	lengths, bytes float64
}

// encode encodes the batch, and begins another. last says that nothing follows it.
func (e *embedding) encode(ctx context.Context, last bool) error {
	if e.handler != nil {
		e.options.Progress = func(finished, _ int) error {
			switch {
			case finished < len(e.items):
				finished = e.items[finished]
			case last:
				finished = len(e.vectors)
			default:
				finished = e.items[len(e.items)-1] // which may have more windows
			}
			return e.handler(finished, len(e.vectors))
		}
	}
	encoded, err := e.receiver.textEncode(ctx, e.batch, e.into, e.options)
	if err == nil {
		err = encoded.Embeddings.Err()
	}
	if err != nil {
		return ofItem(err, e.items)
	}
	for window, row := range encoded.Embeddings.All() {
		e.add(e.items[window], row, e.batch.Offsets[window+1]-e.batch.Offsets[window])
	}
	e.batch.Reset()
	e.items = e.items[:0]
	return nil
}

// ofItem makes an error about an item of a batch one about the text that it came from.
func ofItem(err error, items []int) error {
	failure, known := err.(*errors.Error)
	if !known || failure.Item < 0 || failure.Item >= len(items) {
		return err
	}
	return errors.New(failure.Verb, failure.Status, items[failure.Item], failure.Cause)
}

// whileCutting makes an error of cutting a text one of the call, which names the text unless the
// program is at fault.
func whileCutting(err error, item int) error {
	failure, known := err.(*errors.Error)
	if !known {
		return err
	}
	if failure.Status == errors.ErrInvalidArgument {
		item = errors.NoItem
	}
	return errors.New(encodingTexts, failure.Status, item, failure.Cause)
}

// add takes the vector of a window of so many bytes. Texts come one after the other.
func (e *embedding) add(item int, row []float32, bytes int64) {
	if item != e.summed {
		e.finish()
		e.summed = item
	}
	if e.windows++; e.windows == 1 {
		e.vectors[item] = slices.Clone(row)
		e.sum = append(e.sum[:0], make([]float64, len(row))...)
		e.lengths, e.bytes = 0, 0
	}
	squares := 0.0
	for i, value := range row {
		e.sum[i] += float64(value) * float64(bytes)
		squares += float64(value) * float64(value)
	}
	e.lengths += math.Sqrt(squares) * float64(bytes)
	e.bytes += float64(bytes)
}

// finish makes the vector of the text that was summed. One of a single window has it already, to
// the bit.
func (e *embedding) finish() {
	if e.windows > 1 {
		squares := 0.0
		for _, value := range e.sum {
			squares += value * value
		}
		if length := math.Sqrt(squares); length > 0 { // else the windows cancel out, and the first stands for them
			if !e.receiver.model.bytewise() {
				length /= e.lengths / e.bytes
			}
			for i, value := range e.sum {
				e.vectors[e.summed][i] = float32(value / length)
			}
		}
	}
	e.windows = 0
}

func notUTF8(text string, item int) *Error {
	cause := fmt.Errorf("the text is not UTF-8 at its byte %d", invalidAt(text))
	return errors.New(encodingTexts, errors.ErrMalformed, item, cause)
}

// invalidAt is where a text stops being UTF-8.
func invalidAt(text string) int {
	for i, character := range text {
		if character == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return len(text)
}
