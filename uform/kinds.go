package uform

import (
	"encoding"
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/arena"
	"github.com/unum-cloud/uform-go/deferred"
)

// Arena is the memory that outputs land in, made by [Library.NewArena]. Its methods are those of
// [arena.Arena].
type Arena = arena.Arena

// Rows is one row of scalars for each item, in an arena. Its methods are those of [arena.Rows].
type Rows = arena.Rows

// RowsTape is ragged rows, in an arena. Its methods are those of [arena.RowsTape].
type RowsTape = arena.RowsTape

// ArenaDescription is where an arena's outputs live, as Describe of an [Arena] returns it.
type ArenaDescription = arena.Description

// Pin is access to rows in place until it is released. Its methods are those of [arena.Pin].
type Pin = arena.Pin

// DLPack is rows that are exported to a consumer of DLPack. Its methods are those of
// [arena.DLPack].
type DLPack = arena.DLPack

// DLPackOptions are what a consumer of DLPack asks for. Its fields are those of
// [arena.DLPackOptions].
type DLPackOptions = arena.DLPackOptions

// DLDevice is where DLPack memory lives. Its fields are those of [arena.DLDevice].
type DLDevice = arena.DLDevice

// CUDAArray is device memory as the CUDA Array Interface describes it. Its fields and methods are
// those of [arena.CUDAArray].
type CUDAArray = arena.CUDAArray

// Call is a submitted call whose result is a Result: what a verb of a deferred receiver returns.
// Its methods are those of [deferred.Call].
type Call[Result any] = deferred.Call[Result]

// Handler receives how many of a call's units are finished, and stops the call by returning an
// error. See [deferred.Handler] for which goroutines run it.
type Handler = deferred.Handler

// PanicError is a panic of a [Handler], raised again where the call's result is taken.
type PanicError = deferred.PanicError

// Scalar is the kind of the scalars of an output. The zero value is the model's own, f32.
type Scalar = abi.Scalar

// The kinds that outputs can be asked for.
const (
	F32  = abi.ScalarF32
	F16  = abi.ScalarF16
	BF16 = abi.ScalarBF16
	I8   = abi.ScalarI8
)

// Residency is which memory something lives in.
type Residency = abi.Residency

// Host pages, and the memory of one device.
const (
	RAM  = abi.ResidencyRAM
	VRAM = abi.ResidencyVRAM
)

// Modality is what an item is.
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
