package engine

import (
	"math"
	"runtime"
	"sync"

	"github.com/unum-cloud/uform-go/abi"
)

func versionMajor() int32 { return abi.VersionMajor }
func versionMinor() int32 { return abi.VersionMinor }
func versionPatch() int32 { return abi.VersionPatch }

// measured holds the sizes and offsets of the mirrors, by the names that layoutOf takes.
var measured = sync.OnceValue(func() map[string]uintptr {
	layout := map[string]uintptr{}
	for _, fact := range abi.Measured() {
		layout[fact.Name()] = fact.Bytes()
	}
	return layout
})

// layoutOf implements [abi.Library.LayoutOf]. The values are measured, not computed from the
// header, so that comparing the two proves something.
func layoutOf(name string) uintptr {
	if bytes, known := measured()[name]; known {
		return bytes
	}
	return math.MaxUint
}

// capabilities implements [abi.Library.Capabilities].
func capabilities(compiled, detected *uint64) {
	const serial, parallel uint64 = 1 << abi.CapabilitySerial, 1 << abi.CapabilityParallel
	// Some video codecs are decoded everywhere, the others where the system has a library for them.
	const files uint64 = 1<<abi.CapabilityImageFiles | 1<<abi.CapabilityVideoFiles | 1<<abi.CapabilityAudioFiles
	const training uint64 = 1 << abi.CapabilityTraining
	var optional uint64
	if whole {
		optional = files | training
	}
	if compiled != nil {
		*compiled = serial | parallel | optional
	}
	if detected != nil {
		*detected = serial | optional
		if runtime.NumCPU() > 1 {
			*detected |= parallel
		}
	}
}

var noDevices = refuse(abi.StatusDevice, "the embedded engine has no devices: use host threads, or load a library with GPUs")

// gpuDevices implements [abi.Library.GPUDevices].
func gpuDevices(arguments *abi.GPUDevices) {
	if arguments == nil {
		return
	}
	var f *fault
	if arguments.Count == nil {
		f = refuse(abi.StatusInvalidArgument, "no place for the number of devices: set count")
	} else {
		*arguments.Count = 0
	}
	end(arguments.Outcome, f)
}

// executorInitVRAM implements [abi.Library.ExecutorInitVRAM].
func executorInitVRAM(arguments *abi.ExecutorInitVRAM) {
	if arguments == nil {
		return
	}
	f := noDevices
	if arguments.Executor == nil {
		f = refuse(abi.StatusInvalidArgument, "no place for the new executor's handle: set executor")
	} else {
		*arguments.Executor = 0
		if mood := checkMood(arguments.Mood); mood != nil {
			f = mood
		}
	}
	end(arguments.Outcome, f)
}
