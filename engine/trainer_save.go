package engine

import (
	"github.com/unum-cloud/uform-go/abi"
)

// saveCall is a call of trainer_save.
type saveCall struct {
	call
	arguments abi.TrainerSave
}

// trainerSave implements [abi.Library.TrainerSave].
func (l *library) trainerSave(arguments *abi.TrainerSave) {
	if arguments == nil {
		return
	}
	c := &saveCall{
		call:      call{library: l, outcome: arguments.Outcome, returned: make(chan struct{}, 1)},
		arguments: *arguments,
	}
	c.work = c
	c.submit(arguments.Completion, c.check())
}

func (c *saveCall) check() (f *fault) {
	a := &c.arguments
	if f = c.claimTrainer(a.Executor, a.Trainer); f != nil {
		return f
	}
	if f = checkCompletion(a.Completion, a.Executor); f != nil {
		return f
	}
	switch {
	case a.Reserved != 0:
		return reservedSet
	case a.Path == nil:
		return refuse(abi.StatusInvalidArgument, "the path is NULL")
	}
	return c.progress.connect(a.Progress, a.ProgressState)
}

// prepare does all of the work: a save has no slices.
func (c *saveCall) prepare() *fault {
	var progress func(done, total uint64) bool
	if c.progress.listened {
		progress = func(done, total uint64) bool { return c.progress.reach(uintptr(done), uintptr(total)) }
	}
	err := c.trainer.run.Save(abi.Text(c.arguments.Path), progress)
	switch {
	case c.progress.stopped.Load():
		return cancelled
	case err != nil:
		return faultOf(err)
	}
	return nil
}

func (c *saveCall) slice(*workspace, int, int) *fault { return nil }

func (c *saveCall) publish() {}

func (c *saveCall) recycle() {}
