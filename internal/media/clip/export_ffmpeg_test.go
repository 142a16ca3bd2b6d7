package clip

import "github.com/unum-cloud/uform-go/internal/native"

// SearchFFmpeg looks for FFmpeg in some folders.
func SearchFFmpeg(places []string) error {
	_, err := searchFFmpeg(places)
	return err
}

// LibraryFile is the file name of a version of a library.
var LibraryFile = libraryFile

// FFmpegVersions returns the versions of a release's libraries, avutil's first, by name.
func FFmpegVersions() map[string]int {
	newest := releases[0]
	return map[string]int{"avutil": newest.util, "avcodec": newest.codec}
}

// ProveFFmpeg proves the layout of the FFmpeg that is here, of which one function does nothing,
// without saying so.
func ProveFFmpeg(idle string) error {
	f, err := loadFFmpeg()
	if err != nil {
		return err
	}
	broken := *f
	switch idle {
	case "packetAlloc":
		broken.packetAlloc = func() uintptr { return 0 }
	case "packetNew":
		broken.packetNew = func(uintptr, int32) int32 { return 0 }
	case "packetNew, saying so":
		broken.packetNew = func(uintptr, int32) int32 { return -12 }
	case "frameGetBuffer":
		broken.frameGetBuffer = func(uintptr, int32) int32 { return 0 }
	case "writeMemory":
		broken.writeMemory = func(uintptr, int32, *byte, int32, int32, int32) {}
	case "readMemory":
		broken.readMemory = func(*byte, int32, uintptr, int32, int32, int32) {}
	}
	return broken.prove()
}

// BindFFmpeg looks for all functions in one library.
func BindFFmpeg(path string) error {
	handle, err := native.Open(path)
	if err != nil {
		return err
	}
	return new(ffmpeg).bind(map[string]uintptr{"avutil": handle, "avcodec": handle})
}
