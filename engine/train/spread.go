package train

import (
	"sync"
	"sync/atomic"
)

// Spread runs task(0) … task(tasks−1), each once, in any order and on any goroutines, and returns
// when all have returned. Results do not depend on it, to the last bit.
type Spread func(tasks int, task func(index int))

// Threads returns a Spread over that many goroutines, the calling one included.
func Threads(threads int) Spread {
	if threads <= 1 {
		return func(tasks int, task func(int)) {
			for i := range tasks {
				task(i)
			}
		}
	}
	return func(tasks int, task func(int)) {
		var next atomic.Int64
		work := func() {
			for i := int(next.Add(1)) - 1; i < tasks; i = int(next.Add(1)) - 1 {
				task(i)
			}
		}
		var helping sync.WaitGroup
		for range min(threads, tasks) - 1 {
			helping.Go(work)
		}
		work()
		helping.Wait()
	}
}

// each runs task for every part of size elements out of count; the last part is shorter.
func (s Spread) each(count, size int, task func(part, begin, end int)) {
	s((count+size-1)/size, func(part int) {
		task(part, part*size, min(count, (part+1)*size))
	})
}
