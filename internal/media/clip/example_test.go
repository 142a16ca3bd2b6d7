package clip_test

import (
	"fmt"
	"os"

	"github.com/unum-cloud/uform-go/internal/media/clip"
)

// A clip is told by its first bytes, and answers as many frames as are asked for.
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
