package clip_test

import (
	"fmt"
	"os"

	"github.com/unum-cloud/uform-go/internal/media/clip"
)

// The format is detected by the first bytes, and as many frames are returned as requested.
func Example() {
	file, err := os.ReadFile("../../../testdata/media/video/mjpeg.mp4")
	if err != nil {
		fmt.Println(err)
		return
	}
	format, known := clip.Sniff(file)
	frames, err := clip.Frames(file, 3, nil)
	fmt.Println(format, known, len(frames), err)
	// Output: MP4 true 3 <nil>
}
