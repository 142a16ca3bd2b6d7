package engine

import (
	"github.com/unum-cloud/uform-go/abi"
)

// encodeCall is a call of text_encode.
type encodeCall struct {
	call
	arguments  abi.TextEncode
	texts      tape
	embeddings output
	states     output
	offsets    []uintptr // in the arena: where the rows of each item's states begin; nil where nobody asked for them
	stop       func() bool
	poll       func() bool // what stop is where somebody listens
}

func newEncodeCall(l *library) *encodeCall {
	c := &encodeCall{call: call{library: l, returned: make(chan struct{}, 1)}}
	c.work = c
	c.poll = c.progress.poll
	return c
}

// textEncode implements [abi.Library.TextEncode].
func (l *library) textEncode(arguments *abi.TextEncode) {
	if arguments == nil {
		return
	}
	clearOutputs(arguments.Embeddings, arguments.States)
	c := l.encodes.take(l)
	c.arguments = *arguments
	c.outcome = arguments.Outcome
	c.submit(arguments.Completion, c.check())
}

// clearOutputs makes views NULL, so that a call that fails leaves nothing that could be taken for a result.
func clearOutputs(embeddings *abi.RowsView, states *abi.RowsTapeView) {
	if embeddings != nil {
		*embeddings = abi.RowsView{}
	}
	if states != nil {
		*states = abi.RowsTapeView{}
	}
}

// check is what can be said at submission.
func (c *encodeCall) check() (f *fault) {
	a := &c.arguments
	if f = c.claim(a.Executor, a.Model, a.Arena); f != nil {
		return f
	}
	if f = checkCompletion(a.Completion, a.Executor, a.Outcome); f != nil {
		return f
	}
	if f = checkScalar(a.Scalar); f != nil {
		return f
	}
	if a.Embeddings == nil && a.States == nil {
		return refuse(abi.StatusInvalidArgument, "no output is asked for: set embeddings or states")
	}
	if f = checkTape("texts", a.Texts, a.Count); f != nil {
		return f
	}
	if f = c.progress.listen(a.Progress, a.ProgressState); f != nil {
		return f
	}
	scalar, f := outputScalar(a.Scalar)
	if f != nil {
		return f
	}
	if scalar == abi.ScalarI8 && a.States != nil {
		return refuse(abi.StatusUnsupported, "states have no unit length to scale by, so they do not come as i8")
	}
	description := &c.model.description
	c.embeddings = output{asked: a.Embeddings != nil, scalar: scalar, columns: int(description.EmbeddingColumns)}
	c.states = output{asked: a.States != nil, scalar: scalar, columns: int(description.StateColumns)}
	c.texts, f = c.open("texts", a.Texts, a.Count)
	return f
}

func (c *encodeCall) prepare() *fault {
	if !c.progress.begin(c.arguments.Count) {
		return cancelled
	}
	if f := checkTexts(&c.texts); f != nil {
		return f
	}
	c.stop = nil
	if c.progress.listened {
		c.stop = c.poll
	}
	context := int(c.model.description.Context)
	c.cut(&c.texts, context)
	return c.layOut(context)
}

// layOut makes room in the arena, and fills the offsets of the states, a row for each token.
func (c *encodeCall) layOut(context int) *fault {
	count := c.texts.count()
	c.embeddings.rows, c.states.rows = count, 0
	if c.states.asked {
		for i := range count {
			c.states.rows += min(c.texts.length(i), context)
		}
	}
	var p plan
	c.embeddings.lay(&p)
	c.states.lay(&p)
	var offsets uintptr
	if c.states.asked {
		offsets = p.place(count+1, 1, wordBytes)
	}
	base, f := p.reserve(c.arena)
	if f != nil {
		return f
	}
	c.embeddings.address += base
	c.states.address += base
	c.offsets = nil
	if c.states.asked {
		c.offsets = at[uintptr](base+offsets, count+1)
		c.offsets[0] = 0
		for i := range count {
			c.offsets[i+1] = c.offsets[i] + uintptr(min(c.texts.length(i), context))
		}
	}
	return nil
}

func (c *encodeCall) slice(space *workspace, begin, end int) *fault {
	context := int(c.model.description.Context)
	for i := begin; i < end; i++ {
		text := c.texts.item(i)
		space.texts = append(space.texts, text[:min(len(text), context)])
	}
	defer space.forget()
	first, last := 0, 0
	if c.states.asked {
		first, last = int(c.offsets[begin]), int(c.offsets[end])
	}
	embeddings := c.embeddings.floats(&space.embeddings, begin, end)
	states := c.states.floats(&space.states, first, last)
	if err := c.model.model.Encode(&space.scratch, space.texts, embeddings, states, c.stop); err != nil {
		return faultOf(err)
	}
	c.embeddings.store(embeddings, begin)
	c.states.store(states, first)
	return nil
}

func (c *encodeCall) publish() {
	if c.embeddings.asked {
		*c.arguments.Embeddings = c.embeddings.view()
	}
	if c.states.asked {
		*c.arguments.States = abi.RowsTapeView{
			Rows:    c.states.view(),
			Offsets: abi.Pointer(abi.Address(c.offsets)),
		}
	}
}

func (c *encodeCall) recycle() {
	c.reset()
	c.arguments, c.texts, c.offsets, c.stop = abi.TextEncode{}, tape{}, nil, nil
	c.library.encodes.giveBack(c)
}
