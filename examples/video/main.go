package main

import (
	"image"
	"image/draw"

	xdraw "golang.org/x/image/draw"

	"github.com/unum-cloud/uform-go/examples/internal/nearest"
	"github.com/unum-cloud/uform-go/internal/media/clip"
	"github.com/unum-cloud/uform-go/testdata/media"
	"github.com/unum-cloud/uform-go/uform"
)

// frames is the number of frames of a clip that are drawn, evenly spread over it, each in a box of
// this size in pixels.
const (
	frames        = 4
	width, height = 112, 84
	apart         = 4
)

var medium = &nearest.Medium{
	Name: "video", Plural: "clips", Samples: samples,
	Does: "Video finds the clips that look most like one of them.",

	Encode: uform.On.VideoEncode, Look: strip, Columns: 2, Width: frames*width + (frames-1)*apart, Height: height,
}

// samples returns a test picture in several codecs, turned and cut; the first two are decoded
// without FFmpeg.
func samples() ([]nearest.File, error) {
	return nearest.FromFS(media.Files, "video", "mjpeg.mp4", "vp8-keys.webm", "h264.mp4", "hevc.mp4", "vp9.webm", "av1.webm",
		"rotated-90.mp4", "rotated-180.mp4", "rotated-270.mp4", "edited.mp4", "unequal.mp4", "two.mp4")
}

func main() { nearest.Main(medium) }

// strip draws the frames of a clip side by side.
func strip(content []byte) (image.Image, error) {
	taken, err := clip.Frames(content, frames, nil)
	if err != nil {
		return nil, err
	}
	picture := image.NewRGBA(image.Rect(0, 0, frames*width+(frames-1)*apart, height))
	for i, frame := range taken {
		source := image.NewRGBA(image.Rect(0, 0, frame.Width, frame.Height))
		for p := range frame.Width * frame.Height {
			copy(source.Pix[4*p:], frame.RGB[3*p:3*p+3])
			source.Pix[4*p+3] = 255
		}
		scale := min(float64(width)/float64(frame.Width), float64(height)/float64(frame.Height))
		size := image.Pt(max(int(scale*float64(frame.Width)), 1), max(int(scale*float64(frame.Height)), 1))
		corner := image.Pt(i*(width+apart)+(width-size.X)/2, (height-size.Y)/2)
		xdraw.CatmullRom.Scale(picture, image.Rectangle{corner, corner.Add(size)}, source, source.Bounds(), draw.Src, nil)
	}
	return picture, nil
}
