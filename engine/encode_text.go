package engine

import "github.com/unum-cloud/uform-go/abi"

// texts is the medium of text_encode.
type texts struct{}

// textEncode implements [abi.Library.TextEncode].
func (l *library) textEncode(a *abi.TextEncode) {
	if a != nil {
		c := l.newEncoding(texts{}, encodeArguments{
			model: a.Model, executor: a.Executor, arena: a.Arena, outcome: a.Outcome,
			completion: a.Completion, scalar: a.Scalar, items: a.Texts, count: a.Count,
			progress: a.Progress, progressState: a.ProgressState,
			embeddings: a.Embeddings, states: a.States,
		})
		c.submit(a.Completion, c.check())
	}
}

func (texts) items() string { return "texts" }

func (texts) modality() abi.Modality { return abi.ModalityText }

func (texts) open(c *encodeCall) (f *fault) {
	c.inputs, f = c.call.open("texts", c.arguments.items, c.arguments.count)
	return f
}

func (texts) measure(c *encodeCall) *fault {
	if f := checkTexts(&c.inputs); f != nil {
		return f
	}
	context := int(c.model.description.Context)
	for i := range c.lengths {
		c.lengths[i] = min(c.inputs.length(i), context)
	}
	c.cut(len(c.lengths), sliceItems, func(item int) int { return c.lengths[item] })
	return nil
}

func (texts) encode(c *encodeCall, space *workspace, begin, end int, embeddings, states []float32) *fault {
	for i := begin; i < end; i++ {
		space.texts = append(space.texts, c.inputs.item(i)[:c.lengths[i]])
	}
	if err := c.model.model.Encode(&space.scratch, space.texts, embeddings, states, c.stop); err != nil {
		return faultOf(err)
	}
	return nil
}
