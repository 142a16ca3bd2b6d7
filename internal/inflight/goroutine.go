package inflight

import (
	"runtime"
)

// Driver is the goroutine of a blocking call that may first run a call which its executor holds.
// The handler of that call runs on it too, so what the driver's call names must not be closed
// there: closing would wait for the driver.
type Driver struct {
	goroutine uint64
	// holder is not nil where the blocking call had already begun when its goroutine mattered: then
	// the number is unknown.
	holder *Holder
}

// NewDriver is the calling goroutine.
func NewDriver() *Driver { return &Driver{goroutine: goroutine()} }

// Inside reports whether the calling goroutine is the driver. While the driver's call runs, only a
// handler can ask on that goroutine. Where the number is unknown, a goroutine that runs a handler
// of the executor's calls counts as the driver, unless it does so by waiting for its call.
func (d *Driver) Inside() bool {
	if d.holder != nil {
		return d.holder.driving()
	}
	return d.goroutine == goroutine()
}

// Advance does nothing: a blocking call advances on its own.
func (d *Driver) Advance() {}

// goroutine is the number of the calling goroutine, read from a stack trace, which takes about a
// microsecond. That is cheap enough: it is used only around progress handlers, and where a
// goroutine might wait for itself.
func goroutine() uint64 {
	var trace [40]byte
	var number uint64
	for _, digit := range trace[len("goroutine "):runtime.Stack(trace[:], false)] {
		if digit < '0' || digit > '9' {
			break
		}
		number = number*10 + uint64(digit-'0')
	}
	return number
}
