package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// progress is a line about a long work, redrawn on a terminal. Elsewhere it is nil and draws
// nothing. One goroutine at a time may use it.
type progress struct {
	out   io.Writer
	unit  string
	begun time.Time
	shown time.Time
	drawn bool
	// before is the share that an earlier run did.
	before float64
}

// newProgress returns nil if out is not a terminal. unit names what is counted, such as "items".
func newProgress(out io.Writer, unit string) *progress {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &progress{out: out, unit: unit, begun: time.Now(), before: -1}
}

// show draws how many units are done, and the share of all work if it is known, else a negative
// number.
func (p *progress) show(done int64, share float64, note string) {
	if p == nil {
		return
	}
	if p.before < 0 {
		p.before = max(share, 0)
	}
	if time.Since(p.shown) < 100*time.Millisecond && share != 1 {
		return
	}
	p.shown, p.drawn = time.Now(), true
	elapsed := time.Since(p.begun)
	text := fmt.Sprintf("%d %s", done, p.unit)
	if share >= 0 {
		text = fmt.Sprintf("%s %3.0f%%  %s", bar(share), 100*share, text)
		if covered := share - p.before; covered > 0 && share < 1 {
			left := time.Duration(float64(elapsed) * (1 - share) / covered)
			text += fmt.Sprintf(", %v left", left.Round(time.Second))
		}
	}
	// Return to the line's beginning, and clear the rest of a longer text.
	fmt.Fprintf(p.out, "\r%s%s\x1b[K", text, note)
}

// clear makes room for another line; the next show draws again.
func (p *progress) clear() {
	if p != nil && p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = time.Time{}
	}
}

// end leaves the line as it is.
func (p *progress) end() {
	if p != nil && p.drawn {
		fmt.Fprintln(p.out)
		p.drawn = false
	}
}

// bar returns a bar that is filled to a share from 0 to 1.
func bar(share float64) string {
	const width = 24
	full := int(width * min(max(share, 0), 1))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
