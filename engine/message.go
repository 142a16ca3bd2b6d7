package engine

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
)

// fault is why a call fails; nil means success.
type fault struct {
	status abi.Status
	item   int32 // -1 where no single item is at fault
	cause  string
}

// refuse returns a fault of the call as a whole.
func refuse(status abi.Status, format string, values ...any) *fault {
	return &fault{status: status, item: errors.NoItem, cause: fmt.Sprintf(format, values...)}
}

// at returns the fault f with an item.
func (f *fault) at(item int) *fault {
	if item <= math.MaxInt32 { // the outcome's field has no room for larger indices
		f.item = int32(item)
	}
	return f
}

// faultOf returns the fault of an error. An error that wraps no status is unknown.
func faultOf(err error) *fault {
	status, known := errors.StatusOf(err)
	if !known {
		status = errors.Status(abi.StatusUnknown)
	}
	// The outcome contains the status already.
	return refuse(abi.Status(status), "%s", strings.TrimSuffix(err.Error(), ": "+status.Error()))
}

// statusTexts describe each status in a sentence. They also replace messages beyond the interned
// ones.
var statusTexts = map[abi.Status]string{
	abi.StatusSuccess:         "the call is final and its outputs hold",
	abi.StatusDeferred:        "the call was submitted and is not final",
	abi.StatusUnknown:         "a reason that has no name",
	abi.StatusInvalidArgument: "an argument is NULL, out of range, stale, or lies in the arena being rewound",
	abi.StatusOutOfMemory:     "memory ran out",
	abi.StatusContended:       "another call holds the executor or the arena",
	abi.StatusDevice:          "the executor computes elsewhere than the arena or the model lives",
	abi.StatusUnsupported:     "the model, this build or this machine has no such facility",
	abi.StatusMalformed:       "bytes that do not decode",
	abi.StatusShapeMismatch:   "an item's length disagrees with its declared shape",
	abi.StatusCancelled:       "the progress callback asked to stop",
	abi.StatusIO:              "a path could not be opened, read or written",
	abi.StatusPeer:            "a peer process of a training run left, or disagreed",
	abi.StatusLibraryMissing:  "no shared library to load, or one of another major version",
	abi.StatusSymbolMissing:   "the loaded library lacks a symbol",
}

// statusToString implements [abi.Library.StatusToString].
func statusToString(status abi.Status) string {
	if text, named := statusTexts[status]; named {
		return text
	}
	return statusTexts[abi.StatusUnknown]
}

// maxMessages bounds the texts that are kept. A cause names tensors and paths, and for a media file
// the defect: a server's clients can make new ones at will. Beyond the bound a fault gets the text
// of its status.
const maxMessages = 1024

// messages are the texts that outcomes may point at. They are kept for the life of the process,
// because the contract does not say when a caller has read the last of them.
var messages = struct {
	mutex   sync.Mutex
	kept    map[string][]byte
	details int
}{kept: map[string][]byte{}}

// address returns the address of f's cause as NUL-terminated text, 0 for success.
func (f *fault) address() uintptr {
	if f == nil {
		return 0
	}
	messages.mutex.Lock()
	defer messages.mutex.Unlock()
	text, kept := messages.kept[f.cause]
	switch {
	case kept:
	case messages.details < maxMessages:
		messages.details++
		text = keep(f.cause)
	default:
		static := statusToString(f.status)
		if text, kept = messages.kept[static]; !kept {
			text = keep(static)
		}
	}
	return abi.Address(text)
}

// keep stores one text for ever. The caller holds the mutex.
func keep(text string) []byte {
	bytes := append([]byte(text), 0)
	messages.kept[text] = bytes
	return bytes
}
