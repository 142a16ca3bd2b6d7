package nearest

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/unum-cloud/uform-go/examples/internal/command"
)

// bar draws progress. A nil bar draws nothing.
type bar struct {
	name  string
	total int

	mutex sync.Mutex // progress handlers run on any goroutine
	line  *command.Line
}

// newBar returns nil if out is not a terminal and wanted is not set.
func newBar(out io.Writer, name string, total int, wanted bool) *bar {
	var elsewhere time.Duration
	if wanted {
		elsewhere = time.Second
	}
	line := command.NewLine(out, elsewhere)
	if line == nil {
		return nil
	}
	return &bar{name: name, total: total, line: line}
}

func (b *bar) show(done int) {
	if b == nil {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if done == b.total || b.line.Due() {
		share := float64(done) / float64(max(b.total, 1))
		b.line.Draw(fmt.Sprintf("%s %d of %d %s", command.Bar(share), done, b.total, b.name))
	}
}

// end ends the line.
func (b *bar) end() {
	if b != nil {
		b.line.End()
	}
}
