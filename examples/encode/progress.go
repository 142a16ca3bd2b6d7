package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/unum-cloud/uform-go/examples/internal/command"
	"github.com/unum-cloud/uform-go/uform"
)

// bar reports progress. A nil bar reports nothing.
type bar struct {
	total int64 // bytes of all inputs, or unknown
	begun time.Time

	mutex sync.Mutex // progress handlers run on any goroutine
	line  *command.Line
	lines int
	read  int64
}

// newBar returns nil if out is not a terminal and wanted is not set.
func newBar(out io.Writer, wanted bool, inputs []input) *bar {
	var elsewhere time.Duration
	if wanted {
		elsewhere = 2 * time.Second
	}
	b := &bar{begun: time.Now(), line: command.NewLine(out, elsewhere)}
	if b.line == nil {
		return nil
	}
	for _, in := range inputs {
		if in.size == unknown {
			b.total = unknown
			break
		}
		b.total += in.size
	}
	return b
}

// during returns the progress handler of a batch's call.
func (b *bar) during(batch *batch) uform.Handler {
	if b == nil {
		return nil
	}
	b.mutex.Lock()
	before := b.lines
	b.lines += batch.texts.Len()
	b.read = batch.to
	b.mutex.Unlock()
	from, to := batch.from, batch.to
	return func(finished, total int) error {
		b.show(before+finished, from+(to-from)*int64(finished)/int64(max(total, 1)))
		return nil
	}
}

// show draws if the last time is long enough ago.
func (b *bar) show(lines int, read int64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.line.Due() {
		b.draw(lines, read)
	}
}

// end draws the final state.
func (b *bar) end(written int) {
	if b == nil {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.draw(written, b.read)
	b.line.End()
}

func (b *bar) draw(lines int, read int64) {
	elapsed := time.Since(b.begun)
	text := fmt.Sprintf("%d lines, %.0f a second", lines, float64(lines)/max(elapsed.Seconds(), 1e-3))
	if b.total > 0 {
		share := min(float64(read)/float64(b.total), 1)
		text = fmt.Sprintf("%3.0f%% %s %s", 100*share, command.Bar(share), text)
		if share > 0 && share < 1 {
			left := time.Duration(float64(elapsed) * (1 - share) / share)
			text += fmt.Sprintf(", %v left", left.Round(time.Second))
		}
	}
	b.line.Draw("encode: " + text)
}
