package engine

import "github.com/unum-cloud/uform-go/abi"

// texts is the medium of text_encode.
type texts struct{}

// textEncode implements [abi.Library.TextEncode].
func (l *library) textEncode(a *abi.TextEncode) { l.textEncodeWith(a, nil) }

// textEncodeWith implements [abi.Extensions.TextEncodeWith].
func (l *library) textEncodeWith(a *abi.TextEncode, extension *abi.TextExtension) {
	if a != nil {
		c := l.newEncoding(texts{}, encodeArguments{
			model: a.Model, executor: a.Executor, arena: a.Arena, outcome: a.Outcome,
			completion: a.Completion, scalar: a.Scalar, items: a.Texts, count: a.Count,
			progress: a.Progress, progressState: a.ProgressState,
			embeddings: a.Embeddings, states: a.States,
		})
		c.extension = extension
		c.submit(a.Completion, c.check())
	}
}

func (texts) items() string { return "texts" }

func (texts) modality() abi.Modality { return abi.ModalityText }

func (texts) open(c *encodeCall) (f *fault) {
	var asked abi.TextPrompt
	if c.extension != nil {
		asked = c.extension.TextPrompt
	}
	if c.tokenized.prompt, f = c.model.promptOf(asked); f != nil {
		return f
	}
	c.inputs, f = c.call.open("texts", c.arguments.items, c.arguments.count)
	return f
}

func (texts) measure(c *encodeCall) *fault {
	if f := checkTexts(&c.inputs); f != nil {
		return f
	}
	if c.model.folder != nil {
		c.scanTexts()
		return nil
	}
	context := int(c.model.description.Context)
	for i := range c.lengths {
		length := c.inputs.length(i)
		if length > context && c.extension != nil && c.extension.Whole {
			return refuse(abi.StatusInvalidArgument, "the text has %d bytes, the model's context %d: split it, or unset Whole",
				length, context).at(i)
		}
		c.lengths[i] = min(length, context)
	}
	c.cut(len(c.lengths), sliceItems, func(item int) int { return c.lengths[item] })
	return nil
}

func (texts) encode(c *encodeCall, space *workspace, begin, end int, embeddings, states []float32) *fault {
	if c.model.folder != nil {
		return c.encodeTokens(space, begin, end, embeddings, states)
	}
	for i := begin; i < end; i++ {
		space.texts = append(space.texts, c.inputs.item(i)[:c.lengths[i]])
	}
	if err := c.model.model.Encode(&space.scratch, space.texts, embeddings, states, c.stop); err != nil {
		return faultOf(err)
	}
	return nil
}
