package engine

import (
	"context"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine/train"
)

// stepCall is a call of trainer_step.
type stepCall struct {
	call
	arguments  abi.TrainerStep
	contents   tape
	modalities []abi.Modality
	groups     []uint32 // nil if neighbours are pairs
	embeddings output
	batch      train.Batch
	stats      *train.Stats

	// broken is the fault of this process's part of the step. Where there are other processes, they
	// learn of it before it ends the call, or they would wait.
	mutex  sync.Mutex
	broken *fault
}

// trainerStep implements [abi.Library.TrainerStep].
func (l *library) trainerStep(arguments *abi.TrainerStep) {
	if arguments == nil {
		return
	}
	clearOutputs(arguments.Embeddings, nil)
	if arguments.Stats != nil {
		*arguments.Stats = abi.TrainerStats{}
	}
	c := &stepCall{
		call:      call{library: l, outcome: arguments.Outcome, returned: make(chan struct{}, 1)},
		arguments: *arguments,
	}
	c.work = c
	f := c.check()
	if f != nil && f.status != abi.StatusContended && c.trainer != nil && c.mustMeet() && c.executor != nil {
		c.broken, f = f, nil
	}
	c.submit(arguments.Completion, f)
}

// check refuses what can be refused at submission.
func (c *stepCall) check() (f *fault) {
	a := &c.arguments
	if f = c.claimTrainer(a.Executor, a.Trainer); f != nil {
		return f
	}
	if a.Arena != 0 {
		object, f := claim[*arena](c.library, "arena", uintptr(a.Arena))
		if f != nil {
			return f
		}
		c.arena = object
	}
	if f = checkCompletion(a.Completion, a.Executor); f != nil {
		return f
	}
	if f = checkScalar(a.Scalar); f != nil {
		return f
	}
	switch {
	case a.Reserved != 0:
		return reservedSet
	case a.Embeddings != nil && a.Arena == 0:
		return refuse(abi.StatusInvalidArgument, "the embeddings need an arena: name one")
	case !isSetting(a.LearningRate):
		return refuse(abi.StatusInvalidArgument, "learning rate %v is out of range", a.LearningRate)
	case a.Count > mostItems:
		return noRoom
	case a.Modalities == nil && a.Count > 0:
		return refuse(abi.StatusInvalidArgument, "the items have no modalities, though count is not zero")
	}
	if f = checkTape("contents", a.Contents, a.Count); f != nil {
		return f
	}
	if f = c.progress.connect(a.Progress, a.ProgressState); f != nil {
		return f
	}
	scalar, f := outputScalar(a.Scalar)
	if f != nil {
		return f
	}
	c.embeddings = output{asked: a.Embeddings != nil, scalar: scalar, columns: c.trainer.run.Config().EmbeddingColumns(), rows: int(a.Count)}
	if c.contents, f = c.open("contents", a.Contents, a.Count); f != nil {
		return f
	}
	if c.modalities, f = numbers(&c.call, "modalities", a.Modalities, a.Count); f != nil {
		return f
	}
	c.groups, f = numbers(&c.call, "groups", a.Groups, a.Count)
	return f
}

// prepare lists the items. Texts are ready; files are decoded by a prescan, in parallel.
func (c *stepCall) prepare() *fault {
	if c.broken != nil {
		return nil
	}
	config := c.trainer.run.Config()
	served := map[abi.Modality]bool{abi.ModalityText: true, abi.ModalityImage: config.Image != nil, abi.ModalityVideo: config.Video != nil, abi.ModalityAudio: config.Audio != nil}
	c.batch.Items = make([]train.Item, c.arguments.Count)
	files := false
	for i := range c.batch.Items {
		item := &c.batch.Items[i]
		item.Modality = c.modalities[i]
		available, named := served[item.Modality]
		switch {
		case !named:
			c.broken = refuse(abi.StatusInvalidArgument, "unknown modality %d", item.Modality).at(i)
			return nil
		case !available:
			c.broken = refuse(abi.StatusUnsupported, "the model has no %v", item.Modality).at(i)
			return nil
		case item.Modality == abi.ModalityText:
			item.Text = c.contents.item(i)
		default:
			files = true
		}
	}
	c.batch.Neighbours = c.groups == nil
	for _, group := range c.groups {
		c.batch.Groups = append(c.batch.Groups, int64(group))
	}
	if files {
		if !c.mustMeet() && !c.progress.begin(uintptr(c.arguments.Count)) {
			return cancelled
		}
		c.cut(len(c.batch.Items), sliceFiles, func(int) int { return 0 })
		c.prescanner = c
	}
	return c.layOut()
}

func (c *stepCall) layOut() *fault {
	if c.arena == nil {
		return nil
	}
	var p plan
	c.embeddings.lay(&p)
	base, f := p.reserve(c.arena)
	c.embeddings.address += base
	if f != nil {
		c.broken = f
	}
	return nil
}

// prescan decodes the files from begin to end. A fault does not end the slice: the other processes
// must learn of it, and the first item at fault is named.
func (c *stepCall) prescan(space *workspace, begin, end int) *fault {
	for i := begin; i < end; i++ {
		if !c.mustMeet() && c.progress.poll() {
			return cancelled
		}
		vectors, err := c.decode(space, i)
		if err != nil {
			c.keepFault(faultOf(err).at(i))
			return nil
		}
		c.batch.Items[i].Patches = vectors
	}
	return nil
}

// mustMeet reports whether other processes wait for this one's part, so that nothing may end the
// step before they have been told.
func (c *stepCall) mustMeet() bool { return c.trainer.peers > 1 }

// decode returns the patches of a file, in memory of their own.
func (c *stepCall) decode(space *workspace, item int) ([]float32, error) {
	m, file := c.trainer.media, c.contents.item(item)
	if len(file) == 0 {
		return nil, nil
	}
	var vectors []float32
	var err error
	switch c.modalities[item] {
	case abi.ModalityImage:
		vectors, err = space.picture(m, file)
	case abi.ModalityVideo:
		vectors, err = space.clip(m, file)
	case abi.ModalityAudio:
		return space.patchFile(m, c.trainer.run.Config().Context, nil, file)
	}
	return append([]float32(nil), vectors...), err
}

// keepFault keeps the fault of the first item that has one.
func (c *stepCall) keepFault(f *fault) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.broken == nil || f.item < c.broken.item {
		c.broken = f
	}
}

func (c *stepCall) prescanned() *fault { return nil }

// partError is a fault as an error, for a step that other processes wait for.
type partError struct{ *fault }

func (b partError) Error() string { return b.cause }

// runTasks implements [collective].
func (c *stepCall) runTasks(space *workspace, helpers []*worker) *fault {
	options := &train.StepOptions{LearningRate: c.arguments.LearningRate}
	if c.broken != nil {
		options.Fault = partError{c.broken}
	}
	if c.embeddings.asked && c.broken == nil {
		options.Embeddings = c.embeddings.floats(&space.embeddings, 0, c.embeddings.rows)
	}
	if c.progress.listened {
		options.Progress = func(finished, total int) bool { return c.progress.reach(uintptr(finished), uintptr(total)) }
	}
	run := c.trainer.run
	run.Use(func(tasks int, task func(int)) { c.share(helpers, tasks, task) }, &space.training)
	// otherwise the run would keep the call and its items alive until the next step
	defer run.Use(nil, nil)
	stats, err := run.Step(context.Background(), &c.batch, options)
	switch {
	case c.broken != nil:
		return c.broken
	case c.progress.stopped.Load():
		return cancelled
	case err != nil:
		return stepFault(err)
	}
	c.stats = stats
	c.embeddings.store(options.Embeddings, 0)
	return nil
}

// stepFault returns the fault of a step, with the item that its error names.
func stepFault(err error) *fault {
	f := faultOf(err)
	if item := train.ItemOf(err); item >= 0 {
		f = f.at(item)
	}
	return f
}

func (c *stepCall) slice(*workspace, int, int) *fault { return nil }

func (c *stepCall) publish() {
	if c.embeddings.asked {
		*c.arguments.Embeddings = c.embeddings.view()
	}
	if c.arguments.Stats != nil {
		*c.arguments.Stats = abi.TrainerStats{
			Step: c.stats.Step, Items: c.stats.Items, Loss: c.stats.Loss, GradientNorm: c.stats.GradientNorm,
		}
	}
}

func (c *stepCall) recycle() {}
