package uform

import (
	"encoding"
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/deferred"
)

// Arena is the memory that outputs are written to, made by [Library.NewArena]. Methods: Describe,
// Close. See [arena.Arena].
type Arena = arena.Arena

// Rows is a view of outputs in an arena: one row of scalars for each item. Methods: All ranges over
// the rows as 32-bit floats; Copy and AppendTo copy them; Pin gives access in place; Len, Columns,
// Scalar, Stride and Data describe them; Err says whether they can still be read; DLPack,
// DLPackDevice and CUDAArray export them. See [arena.Rows].
type Rows = arena.Rows

// RowsTape is a view of outputs in an arena: a different number of rows for each item, such as
// states. Methods: All ranges over the items and their [Rows]; Item returns those of one item; Copy
// copies them; Rows, Len and Offsets describe them; Err says whether they can still be read. See
// [arena.RowsTape].
type RowsTape = arena.RowsTape

// ArenaDescription is where an arena's outputs live, as Describe of an [Arena] returns it. Fields:
// Residency, Device (an index into [Library.Devices], -1 for host pages).
type ArenaDescription = arena.Description

// Pin is access to rows in place until Release. Methods: Float32s, Float16s, BFloat16s and Int8s
// return a row of that kind; Bytes returns all rows; Release ends the access. See [arena.Pin].
type Pin = arena.Pin

// DLPack is rows that are exported to a consumer of DLPack. Methods: Managed is the address to pass
// to the consumer; Release ends an export that no consumer took. See [arena.DLPack].
type DLPack = arena.DLPack

// DLPackOptions are what a consumer of DLPack asks for. Fields: MaxVersion, Stream, Device, Copy.
// See [arena.DLPackOptions].
type DLPackOptions = arena.DLPackOptions

// DLDevice is where DLPack memory lives. Fields: Type (1 host, 2 CUDA, 8 Metal, 10 ROCm), ID.
type DLDevice = arena.DLDevice

// CUDAArray is device memory as the CUDA Array Interface describes it. Fields: Shape, Typestr,
// Data, Strides, Version. Method: Release. See [arena.CUDAArray].
type CUDAArray = arena.CUDAArray

// Call is a submitted call whose result is a Result: what a verb of a deferred receiver returns.
// Methods: Done returns a channel that is closed once the call is final; Wait blocks under a
// context and returns the result; Status returns nil, [ErrDeferred] or the failure, and never
// blocks. See [deferred.Call].
type Call[Result any] = deferred.Call[Result]

// Handler is func(finished, total int) error. It receives how many of a call's units are finished,
// and stops the call by returning an error. See [deferred.Handler] for the goroutines that run it.
type Handler = deferred.Handler

// PanicError is a panic of a [Handler], raised again where the call's result is taken. Fields:
// Value, Stack. See [deferred.PanicError].
type PanicError = deferred.PanicError

// Scalar is the kind of the numbers in an output or in the weights. The zero value is the model's
// own, which is f32 for outputs.
type Scalar = abi.Scalar

// The kinds that outputs can be asked for.
const (
	F32  = abi.ScalarF32
	F16  = abi.ScalarF16
	BF16 = abi.ScalarBF16
	I8   = abi.ScalarI8
)

// Residency is the memory that something lives in.
type Residency = abi.Residency

// RAM is host memory, VRAM that of one device.
const (
	RAM  = abi.ResidencyRAM
	VRAM = abi.ResidencyVRAM
)

// Modality is what kind of content an item is: a text, an image, a video or a recording.
type Modality = abi.Modality

// The modalities.
const (
	Text  = abi.ModalityText
	Image = abi.ModalityImage
	Video = abi.ModalityVideo
	Audio = abi.ModalityAudio
)

// Mood is what an executor does with its threads or streams once it goes idle. The zero value is
// [Parked]. It is printed and parsed as text, "parked" or "spinning".
type Mood int32

const (
	// Parked threads sleep; the next call pays for waking them.
	Parked = Mood(abi.MoodParked)
	// Spinning threads keep looking for the next call, which starts soonest, at the price of a busy
	// core each.
	Spinning = Mood(abi.MoodSpinning)
)

var (
	_ encoding.TextMarshaler   = Parked
	_ encoding.TextUnmarshaler = (*Mood)(nil)
)

// String is the mood in lower case, or its number where it has no name.
func (m Mood) String() string { return abi.Mood(m).String() }

// MarshalText is String for moods that have a name, else an error.
func (m Mood) MarshalText() ([]byte, error) {
	if m != Parked && m != Spinning {
		return nil, fmt.Errorf("uform: mood %d has no name", int32(m))
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads what String prints.
func (m *Mood) UnmarshalText(text []byte) error {
	for _, known := range []Mood{Parked, Spinning} {
		if string(text) == known.String() {
			*m = known
			return nil
		}
	}
	return fmt.Errorf("uform: unknown mood %q: use %q or %q", text, Parked, Spinning)
}
