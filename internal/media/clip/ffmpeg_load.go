package clip

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/unum-cloud/uform-go/internal/native"
	"github.com/unum-cloud/uform-go/platform"
)

// release is the versions of the libraries that one release of FFmpeg consists of.
type release struct{ name, codec, util int }

// releases are those that are known to work together, the newest first.
var releases = []release{{8, 62, 60}, {7, 61, 59}, {6, 60, 58}, {5, 59, 57}, {4, 58, 56}}

// loadFFmpeg looks for FFmpeg once in the life of a program, when a clip first needs it.
var loadFFmpeg = sync.OnceValues(func() (*ffmpeg, error) { return searchFFmpeg(platform.Places()) })

// searchFFmpeg opens the newest FFmpeg that lies in one of some folders. Its error says where it
// looked, and for what.
func searchFFmpeg(places []string) (*ffmpeg, error) {
	if !native.Supported {
		return nil, native.Unsupported()
	}
	if bits.UintSize != 64 {
		return nil, fmt.Errorf("FFmpeg is only asked on systems of 64 bits, and this is %s", runtime.GOARCH)
	}
	var refused []error
	for _, release := range releases {
		for _, place := range places {
			f, err := release.open(place)
			switch {
			case err == nil:
				return f, nil
			case !errors.Is(err, os.ErrNotExist):
				refused = append(refused, fmt.Errorf("FFmpeg %d in %s is of no use: %w", release.name, place, err))
			}
		}
	}
	if refused != nil {
		return nil, errors.Join(refused...)
	}
	newest, oldest := releases[0], releases[len(releases)-1]
	return nil, fmt.Errorf("install FFmpeg's shared libraries (Debian: ffmpeg); none of %s to %s, with avutil beside it, is in %s",
		libraryFile("avcodec", newest.codec), libraryFile("avcodec", oldest.codec), strings.Join(places, ", "))
}

// libraryFile is the file name of a version of a library.
func libraryFile(name string, version int) string {
	switch runtime.GOOS {
	case "windows":
		return fmt.Sprintf("%s-%d.dll", name, version)
	case "darwin":
		return fmt.Sprintf("lib%s.%d.dylib", name, version)
	}
	return fmt.Sprintf("lib%s.so.%d", name, version)
}

// open opens the libraries of a release in a folder. The error is [os.ErrNotExist] where one of
// them is not there.
func (r release) open(place string) (*ffmpeg, error) {
	libraries := []struct {
		name    string
		version int
		path    string
		handle  uintptr
	}{{name: "avutil", version: r.util}, {name: "avcodec", version: r.codec}}
	for i := range libraries {
		l := &libraries[i]
		l.path = filepath.Join(place, libraryFile(l.name, l.version))
		if _, err := os.Stat(l.path); err != nil {
			return nil, err
		}
	}
	handles := map[string]uintptr{}
	for _, l := range libraries {
		if err := platform.Protected(l.path); err != nil {
			return nil, err
		}
		if err := platform.Inspect(l.path); err != nil {
			return nil, err
		}
		handle, err := native.Open(l.path)
		if err != nil {
			return nil, fmt.Errorf("%v", err) // which may be that something else does not exist
		}
		handles[l.name] = handle
	}
	f := &ffmpeg{}
	if err := f.bind(handles); err != nil {
		return nil, err
	}
	for _, version := range []struct {
		wanted int
		of     func() uint32
	}{{r.util, f.utilVersion}, {r.codec, f.codecVersion}} {
		if got := int(version.of() >> 16); got != version.wanted {
			return nil, fmt.Errorf("a library says that its version is %d, its name that it is %d", got, version.wanted)
		}
	}
	if err := f.prove(); err != nil {
		return nil, err
	}
	// FFmpeg prints what it thinks of each frame, unless the program has told it what to print.
	if f.logLevel() == logInfo {
		f.setLogLevel(logQuiet)
	}
	return f, nil
}

// bind finds all functions, or says which there are not.
func (f *ffmpeg) bind(handles map[string]uintptr) error {
	var missing []string
	for library, functions := range map[string]map[string]any{
		"avutil": {
			"av_frame_alloc":                   &f.frameAlloc,
			"av_frame_free":                    &f.frameFree,
			"av_frame_get_buffer":              &f.frameGetBuffer,
			"av_opt_set":                       &f.setOption,
			"av_opt_set_int":                   &f.setInteger,
			"av_opt_get_int":                   &f.integer,
			"av_pix_fmt_get_chroma_sub_sample": &f.chroma,
			"av_get_pix_fmt_name":              &f.formatName,
			"av_strerror":                      &f.message,
			"av_log_get_level":                 &f.logLevel,
			"av_log_set_level":                 &f.setLogLevel,
			"avutil_version":                   &f.utilVersion,
		},
		"avcodec": {
			"avcodec_find_decoder_by_name": &f.findDecoder,
			"avcodec_alloc_context3":       &f.contextAlloc,
			"avcodec_free_context":         &f.contextFree,
			"avcodec_open2":                &f.contextOpen,
			"avcodec_flush_buffers":        &f.flush,
			"av_packet_alloc":              &f.packetAlloc,
			"av_packet_free":               &f.packetFree,
			"av_new_packet":                &f.packetNew,
			"av_packet_unref":              &f.packetUnref,
			"avcodec_send_packet":          &f.send,
			"avcodec_receive_frame":        &f.receive,
			"avcodec_version":              &f.codecVersion,
		},
	} {
		for name, function := range functions {
			address, err := native.Symbol(handles[library], name)
			if err != nil {
				missing = append(missing, name)
				continue
			}
			native.RegisterFunc(function, address)
		}
	}
	// One function copies planes of pictures, and with them any memory, both ways: this package
	// needs no package unsafe.
	if address, err := native.Symbol(handles["avutil"], "av_image_copy_plane"); err != nil {
		missing = append(missing, "av_image_copy_plane")
	} else {
		native.RegisterFunc(&f.readMemory, address)
		native.RegisterFunc(&f.writeMemory, address)
	}
	if missing != nil {
		return fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	return nil
}
