package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// bar is a line that is drawn again and again on a terminal, and a line now and then elsewhere.
type bar struct {
	out      io.Writer
	terminal bool
	total    int
	begun    time.Time
	shown    time.Time
}

func newBar(out io.Writer, total int) *bar {
	b := &bar{out: out, total: total, begun: time.Now()}
	if file, is := out.(*os.File); is {
		status, err := file.Stat()
		b.terminal = err == nil && status.Mode()&os.ModeCharDevice != 0
	}
	return b
}

// show tells that steps are done, the last one with a loss.
func (b *bar) show(done int, loss float64) {
	every := 5 * time.Second
	if b.terminal {
		every = 100 * time.Millisecond
	}
	if time.Since(b.shown) < every && done < b.total {
		return
	}
	b.shown = time.Now()
	const width = 30
	filled := done * width / b.total
	left := time.Since(b.begun) / time.Duration(done) * time.Duration(b.total-done)
	line := fmt.Sprintf("[%s%s] step %d of %d, loss %.3f, %v left",
		strings.Repeat("#", filled), strings.Repeat(".", width-filled), done, b.total, loss, left.Round(time.Second))
	if b.terminal {
		fmt.Fprintf(b.out, "\r\x1b[K%s", line)
	} else {
		fmt.Fprintln(b.out, line)
	}
}

func (b *bar) end() {
	if b.terminal && !b.shown.IsZero() {
		fmt.Fprintln(b.out)
	}
}
