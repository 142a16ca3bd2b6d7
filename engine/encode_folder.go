package engine

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/folder"
)

// Texts of a folder's model are tokenized by a prescan, which all goroutines of the call share,
// because only the tokens tell how long an item is. The tokens of a prescanned slice are in one
// buffer, and each item knows where its own are.

// tokenized are the fields that only calls of texts with a folder's model have.
type tokenized struct {
	prompt  string    // its name, as package folder takes it
	buffers [][]int32 // of the slices of the prescan
	places  []place   // of the items
}

// place is where the tokens of an item are, and how many bytes of the text they stand for.
type place struct {
	buffer, begin int
	covered       int
}

// keptTokens bounds what a call keeps for the next one: 4 MiB.
const keptTokens = 1 << 20

// recycle drops what the call referred to, and buffers that are larger than most calls need.
func (t *tokenized) recycle() {
	t.prompt = ""
	size := cap(t.places)
	for _, buffer := range t.buffers {
		size += cap(buffer)
	}
	if size > keptTokens {
		t.buffers, t.places = nil, nil
	}
}

// promptOf returns the name of the prompt that a call asks for.
func (m *loadedModel) promptOf(asked abi.TextPrompt) (string, *fault) {
	known := m.details.Prompts
	switch {
	case asked.NoPrompt && asked.Prompt != "":
		return "", refuse(abi.StatusInvalidArgument, "the prompt %q and no prompt are asked for: drop one of them", asked.Prompt)
	case asked.NoPrompt:
		return folder.NoPrompt, nil
	case asked.Prompt == "":
		return "", nil // the default
	case slices.Contains(known, asked.Prompt):
		return asked.Prompt, nil
	case len(known) == 0:
		return "", refuse(abi.StatusInvalidArgument, "the model has no prompts, and %q is asked for: write it before the texts", asked.Prompt)
	}
	return "", refuse(abi.StatusInvalidArgument, "the model has no prompt %q: it has %s", asked.Prompt, strings.Join(known, ", "))
}

// A slice of the prescan takes items until it has this many bytes, and at least one item. So many
// take milliseconds to tokenize, and a smaller batch is not worth waking another goroutine for.
const scannedBytes = 32 << 10

// scanTexts requests the prescan of a batch.
func (c *encodeCall) scanTexts() {
	count, bytes := c.inputs.count(), 0
	c.tokenized.places = grown(c.tokenized.places, count)
	for i := range count {
		if bytes > scannedBytes {
			c.cuts = append(c.cuts, i)
			bytes = 0
		}
		bytes += c.inputs.length(i)
	}
	if count > 0 {
		c.cuts = append(c.cuts, count)
	}
	for len(c.tokenized.buffers) < len(c.cuts) {
		c.tokenized.buffers = append(c.tokenized.buffers, nil)
	}
	c.prescanner = c
}

func (texts) prescan(c *encodeCall, space *workspace, begin, end int) (f *fault) {
	index, _ := slices.BinarySearch(c.cuts, end)
	tokens := c.tokenized.buffers[index][:0]
	// Kept also where the call fails.
	defer func() { c.tokenized.buffers[index] = tokens }()
	if c.stop != nil && c.stop() {
		return cancelled
	}
	for i := begin; i < end; i++ {
		start, covered, text := len(tokens), 0, c.inputs.item(i)
		var err error
		if tokens, covered, err = c.model.folder.Tokenize(&space.folder, tokens, text, c.tokenized.prompt); err != nil {
			return faultOf(err).at(i)
		}
		if covered < len(text) && c.extension != nil && c.extension.Whole {
			return refuse(abi.StatusInvalidArgument, "the text has more tokens than the model's context of %d, and they stand for %d of its %d bytes: split it, or unset Whole",
				c.model.description.Context, covered, len(text)).at(i)
		}
		c.tokenized.places[i] = place{index, start, covered}
		c.lengths[i] = len(tokens) - start
	}
	return nil
}

func (texts) prescanned(c *encodeCall) {
	c.cuts = c.cuts[:0]
	c.cut(len(c.lengths), sliceItems, func(item int) int { return c.lengths[item] })
}

// encodeTokens computes the items from begin to end.
func (c *encodeCall) encodeTokens(space *workspace, begin, end int, embeddings, states []float32) *fault {
	for i := begin; i < end; i++ {
		at := c.tokenized.places[i]
		space.tokens = append(space.tokens, c.tokenized.buffers[at.buffer][at.begin:at.begin+c.lengths[i]]...)
	}
	err := c.model.folder.Encode(&space.folder, folder.Batch{IDs: space.tokens, Lengths: c.lengths[begin:end], Prompt: c.tokenized.prompt}, embeddings, states, c.stop)
	if err != nil {
		return faultOf(err)
	}
	return nil
}

// scaleToUnit gives rows unit length, which bytes are made of. Not every folder's model does.
func scaleToUnit(rows []float32, columns int) {
	for row := range slices.Chunk(rows, max(1, columns)) {
		squares := 0.0
		for _, value := range row {
			squares += float64(value) * float64(value)
		}
		if squares == 0 {
			continue
		}
		for i, value := range row {
			row[i] = float32(float64(value) / math.Sqrt(squares))
		}
	}
}

// reportCut lists the items that were cut.
func (c *encodeCall) reportCut() {
	context := int(c.model.description.Context)
	for i := range c.inputs.count() {
		length := c.inputs.length(i)
		covered := min(length, context)
		if c.model.folder != nil {
			covered = c.tokenized.places[i].covered
		}
		if covered < length {
			c.extension.Cut = append(c.extension.Cut, abi.TextCut{Item: i, Bytes: length - covered})
		}
	}
}

// textMeasure implements [abi.Extensions.TextMeasure].
func (l *library) textMeasure(a *abi.TextMeasure) {
	if a == nil {
		return
	}
	a.Tokens, a.Covered = 0, 0
	m, f := claim[*loadedModel](l, "model", uintptr(a.Model))
	if f == nil {
		f = m.measure(a)
		l.mutex.Lock()
		m.named--
		l.changed.Broadcast()
		l.mutex.Unlock()
	}
	end(a.Outcome, f)
}

func (m *loadedModel) measure(a *abi.TextMeasure) (f *fault) {
	prompt, f := m.promptOf(a.TextPrompt)
	switch {
	case f != nil:
		return f
	case !utf8.Valid(a.Text):
		return refuse(abi.StatusMalformed, "the text is not valid UTF-8")
	case m.folder == nil:
		a.Tokens = min(len(a.Text), int(m.description.Context))
		a.Covered = a.Tokens
		return nil
	}
	space := m.borrow()
	defer m.giveBack(space)
	defer space.forget()
	var err error
	if space.tokens, a.Covered, err = m.folder.Tokenize(&space.folder, space.tokens, a.Text, prompt); err != nil {
		return faultOf(err)
	}
	a.Tokens = len(space.tokens)
	return nil
}
