package engine

import "github.com/unum-cloud/uform-go/abi"

// texts is the medium of text_encode.
type texts struct{}

// textEncode implements [abi.Library.TextEncode].
func (l *library) textEncode(arguments *abi.TextEncode) {
	if arguments == nil {
		return
	}
	c := l.newEncoding(texts{}, *arguments)
	c.submit(arguments.Completion, c.check())
}

func (texts) items() string { return "texts" }

func (texts) modality() abi.Modality { return abi.ModalityText }

func (texts) admit(*encodeCall) *fault { return nil }

func (texts) open(c *encodeCall) (f *fault) {
	c.inputs, f = c.call.open("texts", c.arguments.Texts, c.arguments.Count)
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
