package uform

import "github.com/unum-cloud/uform-go/errors"

// Error is the failure of a call. Fields: Verb is the operation; Status is one of the constants
// below; Item is the index of the item at fault, -1 where it is none; Cause is what else is known.
// See [errors.Error].
type Error = errors.Error

// Status is a status of libuform as an error, to compare by errors.Is. See [errors.Status].
type Status = errors.Status

// ErrClosed is the cause of an error about a handle that was closed.
var ErrClosed = errors.ErrClosed

// The sentinels of package errors, for [errors.Is].
const (
	// ErrDeferred: the call is not final yet.
	ErrDeferred = errors.ErrDeferred
	// ErrUnknown: the library gave no reason that this build names.
	ErrUnknown = errors.ErrUnknown
	// ErrInvalidArgument: an argument is missing, out of range, stale or closed.
	ErrInvalidArgument = errors.ErrInvalidArgument
	// ErrOutOfMemory: host pages or device memory ran out.
	ErrOutOfMemory = errors.ErrOutOfMemory
	// ErrContended: another call holds the executor or the arena, or a reader pins the arena.
	ErrContended = errors.ErrContended
	// ErrDevice: the memory lives on another device than the work, or is not the host's to read.
	ErrDevice = errors.ErrDevice
	// ErrUnsupported: the model, the library or the machine cannot do this.
	ErrUnsupported = errors.ErrUnsupported
	// ErrMalformed: a text that is not UTF-8, a media file or a checkpoint that does not decode.
	ErrMalformed = errors.ErrMalformed
	// ErrShapeMismatch: an item's length disagrees with its declared shape.
	ErrShapeMismatch = errors.ErrShapeMismatch
	// ErrCancelled: the context ended or a progress handler stopped the call.
	ErrCancelled = errors.ErrCancelled
	// ErrIO: a path could not be opened, read or written.
	ErrIO = errors.ErrIO
	// ErrPeer: another process of a training run left or disagreed.
	ErrPeer = errors.ErrPeer
	// ErrLibraryMissing: there is no shared library to load, or none of this version.
	ErrLibraryMissing = errors.ErrLibraryMissing
	// ErrSymbolMissing: the shared library lacks an entry point.
	ErrSymbolMissing = errors.ErrSymbolMissing
)
