package nearest

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// bar draws progress, again and again on a terminal, a line now and then elsewhere. A nil bar draws nothing.
type bar struct {
	out      io.Writer
	name     string
	total    int
	terminal bool
	every    time.Duration

	mutex sync.Mutex // progress handlers run on any goroutine
	shown time.Time
	drawn bool
}

// newBar is nil where nobody looks: where out is no terminal and wanted does not insist.
func newBar(out io.Writer, name string, total int, wanted bool) *bar {
	b := &bar{out: out, name: name, total: total, terminal: interactive(out), every: time.Second}
	if !b.terminal && !wanted {
		return nil
	}
	if b.terminal {
		b.every = 100 * time.Millisecond
	}
	return b
}

func (b *bar) show(done int) {
	if b == nil {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if now := time.Now(); done < b.total && now.Sub(b.shown) < b.every {
		return
	} else {
		b.shown = now
	}
	const width = 30
	full := width * done / max(b.total, 1)
	line := fmt.Sprintf("[%s%s] %d of %d %s", strings.Repeat("#", full), strings.Repeat(".", width-full), done, b.total, b.name)
	if b.terminal {
		fmt.Fprintf(b.out, "\r%s\x1b[K", line)
	} else {
		fmt.Fprintln(b.out, line)
	}
	b.drawn = true
}

// end leaves the line.
func (b *bar) end() {
	if b != nil && b.terminal && b.drawn {
		fmt.Fprintln(b.out)
	}
}

// interactive tells whether a stream is a terminal, as far as the standard library can tell.
func interactive(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	about, err := file.Stat()
	return err == nil && about.Mode()&os.ModeCharDevice != 0
}
