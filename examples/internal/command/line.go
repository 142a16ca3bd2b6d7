package command

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Line is a line of progress. It is redrawn on a terminal, and written now and then elsewhere. A
// nil Line draws nothing. One goroutine at a time may use it.
type Line struct {
	out      io.Writer
	terminal bool
	every    time.Duration
	shown    time.Time
}

// NewLine returns a line on out. If out is not a terminal, the line is written at this interval,
// and is nil if the interval is zero.
func NewLine(out io.Writer, elsewhere time.Duration) *Line {
	l := &Line{out: out, terminal: Interactive(out), every: elsewhere}
	if l.terminal {
		l.every = 100 * time.Millisecond
	}
	if l.every == 0 {
		return nil
	}
	return l
}

// Due reports whether it is time to draw the line again.
func (l *Line) Due() bool { return l != nil && time.Since(l.shown) >= l.every }

// Draw draws the line.
func (l *Line) Draw(text string) {
	if l == nil {
		return
	}
	l.shown = time.Now()
	if l.terminal {
		// Return to the line's beginning, and clear the rest of a longer text.
		fmt.Fprintf(l.out, "\r%s\x1b[K", text)
		return
	}
	fmt.Fprintln(l.out, text)
}

// End ends the line.
func (l *Line) End() {
	if l != nil && l.terminal && !l.shown.IsZero() {
		fmt.Fprintln(l.out)
	}
}

// Bar returns a bar of thirty characters that is filled to a share from 0 to 1.
func Bar(share float64) string {
	const width = 30
	full := int(width * min(max(share, 0), 1))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}
