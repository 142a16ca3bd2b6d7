package engine

import "github.com/unum-cloud/uform-go/abi"

// chooseCall is a call of text_choose.
type chooseCall struct {
	call
	arguments     abi.TextChoose
	texts         tape
	choices       tape
	questionTypes []uint32 // the caller's, nil where all are of type zero
	probabilities output
	offsets       []uintptr // in the arena: where the probabilities of each item begin
	stop          func() bool
	poll          func() bool
}

func newChooseCall(l *library) *chooseCall {
	c := &chooseCall{call: call{library: l, returned: make(chan struct{}, 1)}}
	c.work = c
	c.poll = c.progress.poll
	return c
}

// textChoose implements [abi.Library.TextChoose].
func (l *library) textChoose(arguments *abi.TextChoose) {
	if arguments == nil {
		return
	}
	clearOutputs(nil, arguments.Probabilities)
	c := l.chooses.take(l)
	c.arguments = *arguments
	c.outcome = arguments.Outcome
	c.submit(arguments.Completion, c.check())
}

// check refuses what can be refused at submission.
func (c *chooseCall) check() (f *fault) {
	a := &c.arguments
	if f = c.claim(a.Executor, a.Model, a.Arena); f != nil {
		return f
	}
	if f = checkCompletion(a.Completion, a.Executor); f != nil {
		return f
	}
	switch {
	case a.Reserved != 0:
		return reservedSet
	case a.Probabilities == nil:
		return refuse(abi.StatusInvalidArgument, "no output is requested: set probabilities")
	}
	if f = checkTape("texts", a.Texts, a.Count); f != nil {
		return f
	}
	if f = checkTape("choices", a.Choices, a.Count); f != nil {
		return f
	}
	if f = c.progress.connect(a.Progress, a.ProgressState); f != nil {
		return f
	}
	if !c.model.description.ByteDecoder {
		return refuse(abi.StatusUnsupported, "the model has no byte decoder")
	}
	if c.texts, f = c.open("texts", a.Texts, a.Count); f != nil {
		return f
	}
	if c.choices, f = c.open("choices", a.Choices, a.Count); f != nil {
		return f
	}
	c.questionTypes, f = numbers(&c.call, "question types", a.QuestionTypes, a.Count)
	return f
}

func (c *chooseCall) prepare() *fault {
	if !c.progress.begin(c.arguments.Count) {
		return cancelled
	}
	if f := checkTexts(&c.texts); f != nil {
		return f
	}
	if f := checkChoices(&c.choices); f != nil {
		return f
	}
	for i, questionType := range c.questionTypes {
		if questionType >= c.model.description.QuestionTypes {
			return refuse(abi.StatusInvalidArgument, "the model has no such question type").at(i)
		}
	}
	c.stop = nil
	if c.progress.listened {
		c.stop = c.poll
	}
	context := int(c.model.description.Context)
	c.cut(c.texts.count(), sliceItems, func(item int) int { return min(c.texts.length(item), context) })
	return c.layOut()
}

// layOut makes room in the arena, and fills the offsets, which are those of the choices, counted
// from zero.
func (c *chooseCall) layOut() *fault {
	count := c.choices.count()
	c.probabilities = output{asked: true, scalar: abi.ScalarF32, columns: 1, rows: int(c.choices.items())}
	var p plan
	c.probabilities.lay(&p)
	offsets := p.place(count+1, 1, wordBytes)
	base, f := p.reserve(c.arena)
	if f != nil {
		return f
	}
	c.probabilities.address += base
	c.offsets = at[uintptr](base+offsets, count+1)
	c.offsets[0] = 0
	for i := range count {
		c.offsets[i+1] = c.offsets[i] + uintptr(c.choices.length(i))
	}
	return nil
}

func (c *chooseCall) slice(space *workspace, begin, end int) *fault {
	context := int(c.model.description.Context)
	for i := begin; i < end; i++ {
		text := c.texts.item(i)
		space.texts = append(space.texts, text[max(0, len(text)-context):])
		space.choices = append(space.choices, c.choices.item(i))
	}
	defer space.forget()
	var questionTypes []uint32
	if c.questionTypes != nil {
		questionTypes = c.questionTypes[begin:end]
	}
	probabilities := c.probabilities.floats(nil, int(c.offsets[begin]), int(c.offsets[end]))
	err := c.model.model.Choose(&space.scratch, space.texts, space.choices, questionTypes, probabilities, c.stop)
	if err != nil {
		return faultOf(err)
	}
	return nil
}

func (c *chooseCall) publish() {
	*c.arguments.Probabilities = abi.RowsTapeView{
		Rows:    c.probabilities.view(),
		Offsets: abi.Pointer(abi.Address(c.offsets)),
	}
}

func (c *chooseCall) recycle() {
	c.reset()
	c.arguments, c.texts, c.choices, c.questionTypes = abi.TextChoose{}, tape{}, tape{}, nil
	c.offsets, c.stop = nil, nil
	c.library.chooses.giveBack(c)
}
