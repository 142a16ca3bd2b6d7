package platform

import "bytes"

// InspectBytes is Inspect for a file in memory and any system.
func InspectBytes(data []byte, goos, goarch string) error {
	return inspect(image{bytes.NewReader(data), uint64(len(data))}, goos, goarch)
}

// What the system offers is preferred to these, so they are tested by themselves.
var (
	TemporaryFile = temporaryFile
	ReadFile      = readFile
	Allocate      = allocate
)
