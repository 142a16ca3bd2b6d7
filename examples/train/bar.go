package main

import (
	"fmt"
	"io"
	"time"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

// bar draws the progress of a run.
type bar struct {
	line  *command.Line
	total int
	begun time.Time
}

func newBar(out io.Writer, total int) *bar {
	return &bar{line: command.NewLine(out, 5*time.Second), total: total, begun: time.Now()}
}

// show draws that a number of steps is done, with the loss of the last one.
func (b *bar) show(done int, loss float64) {
	if done < b.total && !b.line.Due() {
		return
	}
	left := time.Since(b.begun) / time.Duration(done) * time.Duration(b.total-done)
	b.line.Draw(fmt.Sprintf("%s step %d of %d, loss %.3f, %v left",
		command.Bar(float64(done)/float64(b.total)), done, b.total, loss, left.Round(time.Second)))
}

func (b *bar) end() { b.line.End() }
