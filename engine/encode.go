package engine

import (
	"math"

	"github.com/unum-cloud/uform-go/abi"
)

// medium is the part of an encoding verb that depends on its items: what they are, and how they
// become tokens. It has no state; the state of a call is in the call.
type medium interface {
	// items returns the word for the items in errors.
	items() string
	// modality returns the modality that the model must support.
	modality() abi.Modality
	// open reads the boundaries of the items, and every other input except the items themselves.
	open(c *encodeCall) *fault
	// measure checks the items, and writes the number of tokens of each to c.lengths, or requests a
	// prescan.
	measure(c *encodeCall) *fault
	// encode computes the items from begin to end.
	encode(c *encodeCall, space *workspace, begin, end int, embeddings, states []float32) *fault
}

// admitter is a medium that has arguments of its own.
type admitter interface {
	// admit returns what is wrong with them, nil if nothing is.
	admit(c *encodeCall) *fault
}

// scanner is a medium of which some calls need a prescan.
type scanner interface {
	// prescan reads the items from begin to end, and writes their lengths.
	prescan(c *encodeCall, space *workspace, begin, end int) *fault
	// prescanned cuts the batch into slices, once all lengths are known.
	prescanned(c *encodeCall)
}

// encodeCall is a call of an encoding verb.
type encodeCall struct {
	call
	medium     medium
	arguments  encodeArguments
	inputs     tape
	lengths    []int // the tokens of each item
	embeddings output
	states     output
	offsets    []uintptr // in the arena: where each item's states begin; nil if not requested
	stop       func() bool
	poll       func() bool // [progress.poll], nil without a progress handler
	pixels     pixels
	recordings recordings
	tokenized  tokenized
	extension  *abi.TextExtension // nil without
}

func newEncodeCall(l *library) *encodeCall {
	c := &encodeCall{call: call{library: l, returned: make(chan struct{}, 1)}}
	c.work = c
	c.poll = c.progress.poll
	return c
}

// clearOutputs sets views to NULL, so that a failed call leaves nothing that looks like a result.
func clearOutputs(embeddings *abi.RowsView, states *abi.RowsTapeView) {
	if embeddings != nil {
		*embeddings = abi.RowsView{}
	}
	if states != nil {
		*states = abi.RowsTapeView{}
	}
}

// newEncoding begins a call of an encoding verb.
func (l *library) newEncoding(m medium, arguments encodeArguments) *encodeCall {
	clearOutputs(arguments.embeddings, arguments.states)
	c := l.encodes.take(l)
	c.medium, c.arguments, c.outcome = m, arguments, arguments.outcome
	return c
}

// check refuses what can be refused at submission.
func (c *encodeCall) check() (f *fault) {
	a := &c.arguments
	if f = c.claim(a.executor, a.model, a.arena); f != nil {
		return f
	}
	if f = checkCompletion(a.completion, a.executor); f != nil {
		return f
	}
	if f = checkScalar(a.scalar); f != nil {
		return f
	}
	if a.embeddings == nil && a.states == nil {
		return refuse(abi.StatusInvalidArgument, "no output is requested: set embeddings or states")
	}
	if f = checkTape(c.medium.items(), a.items, a.count); f != nil {
		return f
	}
	if own, ok := c.medium.(admitter); ok {
		if f = own.admit(c); f != nil {
			return f
		}
	}
	if f = c.progress.connect(a.progress, a.progressState); f != nil {
		return f
	}
	scalar, f := outputScalar(a.scalar)
	if f != nil {
		return f
	}
	if scalar == abi.ScalarI8 && a.states != nil {
		return refuse(abi.StatusUnsupported, "states cannot be i8, because they have no unit length to scale by")
	}
	description := &c.model.description
	if description.Modalities>>c.medium.modality()&1 == 0 {
		return refuse(abi.StatusUnsupported, "the model does not encode %s", c.medium.items())
	}
	c.embeddings = output{asked: a.embeddings != nil, scalar: scalar, columns: int(description.EmbeddingColumns)}
	stateColumns := int(description.StateColumns)
	if c.medium.modality() == abi.ModalityImage && c.model.folder != nil {
		stateColumns = c.model.media.prepare.StateColumns
	}
	c.states = output{asked: a.states != nil, scalar: scalar, columns: stateColumns}
	return c.medium.open(c)
}

func (c *encodeCall) prepare() *fault {
	if !c.progress.begin(c.arguments.count) {
		return cancelled
	}
	c.stop = nil
	if c.progress.listened {
		c.stop = c.poll
	}
	c.lengths = grown(c.lengths, c.inputs.count())
	clear(c.lengths)
	if f := c.medium.measure(c); f != nil || c.prescanner != nil {
		return f
	}
	return c.layOut()
}

// prescan implements [prescanner], for a medium that is a [scanner].
func (c *encodeCall) prescan(space *workspace, begin, end int) *fault {
	defer space.forget()
	return c.medium.(scanner).prescan(c, space, begin, end)
}

// prescanned implements [prescanner].
func (c *encodeCall) prescanned() *fault {
	c.medium.(scanner).prescanned(c)
	return c.layOut()
}

// layOut makes room in the arena, and fills the offsets of the states, a row for each token.
func (c *encodeCall) layOut() *fault {
	count := c.inputs.count()
	c.embeddings.rows, c.states.rows = count, 0
	if c.states.asked {
		for _, length := range c.lengths {
			if c.states.rows > math.MaxInt-length {
				return refuse(abi.StatusOutOfMemory, "the outputs exceed the address space")
			}
			c.states.rows += length
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
		for i, length := range c.lengths {
			c.offsets[i+1] = c.offsets[i] + uintptr(length)
		}
	}
	return nil
}

func (c *encodeCall) slice(space *workspace, begin, end int) *fault {
	first, last := 0, 0
	if c.states.asked {
		first, last = int(c.offsets[begin]), int(c.offsets[end])
	}
	embeddings := c.embeddings.floats(&space.embeddings, begin, end)
	states := c.states.floats(&space.states, first, last)
	defer space.forget()
	if f := c.medium.encode(c, space, begin, end, embeddings, states); f != nil {
		return f
	}
	if c.embeddings.scalar == abi.ScalarI8 && c.model.folder != nil {
		scaleToUnit(embeddings, c.embeddings.columns)
	}
	c.embeddings.store(embeddings, begin)
	c.states.store(states, first)
	return nil
}

func (c *encodeCall) publish() {
	if c.extension != nil {
		c.reportCut()
	}
	if c.embeddings.asked {
		*c.arguments.embeddings = c.embeddings.view()
	}
	if c.states.asked {
		*c.arguments.states = abi.RowsTapeView{
			Rows:    c.states.view(),
			Offsets: abi.Pointer(abi.Address(c.offsets)),
		}
	}
}

func (c *encodeCall) recycle() {
	c.reset()
	c.arguments, c.inputs, c.offsets, c.stop = encodeArguments{}, tape{}, nil, nil
	c.pixels, c.recordings, c.extension = pixels{}, recordings{}, nil
	c.tokenized.recycle()
	c.library.encodes.giveBack(c)
}
